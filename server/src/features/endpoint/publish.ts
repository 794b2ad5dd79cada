import { type BatchAck, RESULTS_SERVICE } from '@svc/contracts/agent-messages';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import { type AgentStream, agentOf, toGrpcError } from '#edge';
import { type AgentIdentity, AppError, type Clock, createTally, type GrpcMount, type Tally } from '#kernel';
import { admitBatch, decodeBatch } from './admit.ts';

export interface PublishDeps {
  bus: Bus;
  /** A sign of life for the fleet. */
  noteContact: (agent: AgentIdentity) => void;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** `invalid`: one result of a batch; the others: a whole batch that could not be taken, for good. */
export type PublishOutcome = 'accepted' | 'invalid' | 'too_large' | 'validation';

/** Batches of one stream that wait for the bus at most; beyond them the stream is not read. */
const MAX_WAITING = 8;

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
    stream.pause();
    if (!(error instanceof AppError)) deps.log.error({ err: error }, 'a batch of results failed');
    stream.emit('error', toGrpcError(error));
  };

  const acknowledge = async (published: Promise<void>, ack: BatchAck) => {
    await published;
    waiting -= 1;
    if (failed || stream.cancelled) return;
    tally.add(agent.tenant, 'accepted', ack.accepted);
    tally.add(agent.tenant, 'invalid', ack.rejected);
    stream.write(ack);
    if (waiting < MAX_WAITING && !draining.aborted) stream.resume();
  };

  const take = (bytes: Buffer) => {
    const batch = decodeBatch(bytes);
    if (batch.sequence <= lastSequence) throw new AppError('validation', 'Sequence numbers rise within a stream.');
    lastSequence = batch.sequence;
    const { messages, rejected, reasons } = admitBatch(batch, agent, deps.clock.now());
    deps.noteContact(agent);
    const ack: BatchAck = { sequence: batch.sequence, accepted: messages.length, rejected, rejected_reasons: reasons };
    const published = messages.length > 0 ? deps.bus.publish(TOPICS.endpointResults, messages) : Promise.resolve();
    // Waited for in order below; until then a rejection must not count as unhandled.
    published.catch(() => {});
    waiting += 1;
    if (waiting >= MAX_WAITING) stream.pause();
    acknowledged = acknowledged.then(async () => await acknowledge(published, ack));
    acknowledged.catch(fail);
  };

  const finish = () => {
    acknowledged.then(
      () => stream.end(),
      () => {},
    );
  };

  stream.on('data', (bytes: Buffer) => {
    if (failed) return;
    try {
      take(bytes);
    } catch (error) {
      if (error instanceof AppError && (error.code === 'too_large' || error.code === 'validation'))
        tally.add(agent.tenant, error.code);
      fail(error);
    }
  });
  stream.on('end', finish);
  draining.addEventListener(
    'abort',
    () => {
      stream.pause();
      finish();
    },
    { once: true },
  );
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
