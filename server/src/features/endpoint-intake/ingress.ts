import { type BatchAck, RESULTS_SERVICE } from '@svc/contracts/agent/messages';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import { sha256 } from '#crypto';
import { type AgentStream, agentOf, toGrpcError } from '#edge';
import { type AgentIdentity, AppError, type Clock, createTally, type GrpcMount, type Tally } from '#kernel';
import { admitBatch, decodeBatch } from './admit.ts';
import { createAdmission } from './publish-admission.ts';
import type { PublishBudget } from './publish-budget.ts';
import { type SignDeps, signAck } from './sign-ack.ts';

export interface PublishDeps extends Pick<SignDeps, 'receiptSigner'> {
  bus: Bus;
  budget: PublishBudget;
  /** A sign of life for the fleet. */
  noteContact: (agent: AgentIdentity) => void;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** `invalid`: one result of a batch; the others: a whole batch that could not be taken, for good. */
export type PublishOutcome = 'accepted' | 'invalid' | 'too_large' | 'validation';

/** Batches of one stream that wait for the bus, or whose acknowledgement waits for the device; beyond them the stream is not read. */
const MAX_WAITING = 8;
/** When it may come again, seconds; apart from each other, so that a fleet does not come back in one instant. */
const COME_AGAIN = { from: 10, to: 30 } as const;

const sentAway = (): AppError =>
  new AppError(
    'rate_limited',
    'The devices of this tenant send more than its share. They keep their results and send them later.',
    {
      retryAfterSeconds: Math.round(COME_AGAIN.from + Math.random() * (COME_AGAIN.to - COME_AGAIN.from)),
    },
  );

/** One device's stream: batches in, each acknowledged in order once the bus has it durably. */
function serveStream(stream: AgentStream, deps: PublishDeps, tally: Tally<PublishOutcome>): void {
  const { agent, draining } = agentOf(stream);
  let lastSequence = -1;
  let waiting = 0;
  let failed = false;
  let acknowledged: Promise<void> = Promise.resolve();

  const fail = (error: unknown) => {
    if (failed) return;
    failed = true;
    admission.end();
    stream.pause();
    if (!(error instanceof AppError)) deps.log.error({ err: error }, 'a batch of results failed');
    stream.emit('error', toGrpcError(error));
  };

  const acknowledge = async (published: Promise<void>, plain: BatchAck, digest: string | undefined) => {
    await published;
    const ack = await signAck(plain, { agent, digest }, deps);
    if (failed || stream.cancelled) return;
    tally.add(agent.tenant, 'accepted', ack.accepted);
    tally.add(agent.tenant, 'invalid', ack.rejected);
    // Called when the device's window has taken it, which it may keep closed.
    stream.write(ack, () => {
      waiting -= 1;
      if (mayRead() && !admission.isHeld()) stream.resume();
    });
  };
  const mayRead = (): boolean => waiting < MAX_WAITING && !draining.aborted && !failed;

  const takeBatch = (bytes: Buffer): number => {
    const batch = decodeBatch(bytes);
    if (batch.sequence <= lastSequence) throw new AppError('validation', 'Sequence numbers must increase within a stream.');
    lastSequence = batch.sequence;
    const { messages, rejected, reasons } = admitBatch(batch, agent, deps.clock.now());
    deps.noteContact(agent);
    const ack: BatchAck = { sequence: batch.sequence, accepted: messages.length, rejected, rejected_reasons: reasons };
    const published = messages.length > 0 ? deps.bus.publish(TOPICS.endpointResults, messages) : Promise.resolve();
    deps.budget.published(agent.tenant, messages.length);
    // Here, where it counts as the tenant's time, and so that the bytes need not be kept until the bus has answered.
    const digest = batch.results.length > 0 ? sha256(bytes).toString('hex') : undefined;
    // Waited for in order below; until then a rejection must not count as unhandled.
    published.catch(() => {});
    waiting += 1;
    if (waiting >= MAX_WAITING) stream.pause();
    acknowledged = acknowledged.then(async () => await acknowledge(published, ack, digest));
    acknowledged.catch(fail);
    return batch.results.length;
  };

  const take = (bytes: Buffer): number => {
    const start = performance.now();
    try {
      return takeBatch(bytes);
    } catch (error) {
      if (error instanceof AppError && (error.code === 'too_large' || error.code === 'validation'))
        tally.add(agent.tenant, error.code);
      fail(error);
      return 0;
    } finally {
      deps.budget.tookLoop(agent.tenant, performance.now() - start);
    }
  };

  const onOverdue = () => void acknowledged.then(() => fail(sentAway()), fail);
  const admission = createAdmission(stream, { agent, budget: deps.budget, take, mayRead, onOverdue });
  endStream(stream, { admission, acknowledged: () => acknowledged });
  stream.on('data', admission.offer);
}

/** Once the device or the server ends the stream, what was taken in is acknowledged and then it closes. */
function endStream(
  stream: AgentStream,
  { admission, acknowledged }: { admission: ReturnType<typeof createAdmission>; acknowledged: () => Promise<void> },
): void {
  const finish = () => {
    admission.end();
    acknowledged().then(
      () => stream.end(),
      () => {},
    );
  };
  stream.on('end', finish);
  for (const event of ['cancelled', 'close']) stream.once(event, admission.end);
  const drain = () => {
    stream.pause();
    finish();
  };
  agentOf(stream).draining.addEventListener('abort', drain, { once: true });
}

/** gRPC `Results`: see contracts/proto/agent.proto for what is acknowledged and when. */
export function createResultsMount(deps: PublishDeps): { mount: GrpcMount; tally: Tally<PublishOutcome> } {
  const tally = createTally<PublishOutcome>();
  const publish = (stream: AgentStream) => serveStream(stream, deps, tally);
  return {
    tally,
    mount: {
      // Bytes are decoded in the handler, so that what is no batch ends with our words and not with a crash of the codec.
      definition: { publish: { ...RESULTS_SERVICE.publish, requestDeserialize: (bytes: Buffer) => bytes } },
      implementation: { publish: publish as never },
    },
  };
}
