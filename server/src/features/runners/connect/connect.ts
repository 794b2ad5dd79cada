import {
  type FromRunner,
  fromRunner,
  RUNNER_SERVICE,
  type RunnerStatus,
  type RunRequest,
  type ToRunner,
} from '@svc/contracts/tests/runner-messages';
import { type AgentStream, agentOf, toGrpcError } from '#edge';
import { AppError, type GrpcMount, type TenantId } from '#kernel';
import type { RunnersDeps } from '../context.ts';
import { createReportPace } from '../domain/report-pace.ts';
import type { PlanKeeper } from '../plan/plan-keeper.ts';
import type { Publish } from '../publish.ts';
import { createContacts } from './contacts.ts';
import type { PlanRecipient } from './plan-parts.ts';
import { createPlanStream } from './plan-stream.ts';
import { serveReports } from './report-stream.ts';

/** A certificate with less than this left is to be renewed now. */
const RENEW_BELOW_MS = 6 * 3_600_000;
/** Statuses are kept at most this often; the newest counts. */
const KEEP_EVERY_MS = 2000;
/** Messages of one runner that are looked at each second; beyond it the stream is read later. */
const PER_SECOND = 200;

/** A runner whose stream this process holds. */
export interface ConnectedRunner {
  to: PlanRecipient;
  run(request: RunRequest): void;
  /** Aborted with the stream. */
  ended: AbortSignal;
}

export interface ConnectDeps extends RunnersDeps {
  keeper: PlanKeeper;
  publish: Publish;
  /** What runners say of runs on demand. */
  onAnswer: (runner: { tenant: TenantId; runnerId: string }, message: FromRunner) => void;
}

function decode(bytes: Buffer): FromRunner {
  try {
    return fromRunner.decode(bytes);
  } catch (error) {
    throw new AppError('validation', 'Invalid message of a runner.', { cause: error });
  }
}

/** Writes in order, waiting for the runner's window; what waits is rejected when the stream ends. */
function createWriter(stream: AgentStream, { clock, ended }: { clock: RunnersDeps['clock']; ended: AbortSignal }) {
  const waiting = new Set<(error: Error) => void>();
  const over = (): Error => new Error('the stream has ended');
  ended.addEventListener('abort', () => {
    for (const reject of waiting) reject(over());
  });
  return (message: Omit<ToRunner, 'server_clock_ms'>): Promise<void> =>
    new Promise((resolve, reject) => {
      if (ended.aborted) return reject(over());
      waiting.add(reject);
      stream.write({ server_clock_ms: clock.now(), ...message }, () => {
        waiting.delete(reject);
        resolve();
      });
    });
}

type Write = ReturnType<typeof createWriter>;

/** Keeps statuses one after the other, the newest of those that came meanwhile. */
function createKeeping(keep: (status: RunnerStatus) => Promise<void>) {
  let next: RunnerStatus | undefined;
  let isKeeping = false;
  return (status: RunnerStatus): void => {
    next = status;
    if (isKeeping) return;
    isKeeping = true;
    void (async () => {
      for (let one = next as RunnerStatus | undefined; one; one = next) {
        next = undefined;
        await keep(one);
        if (next) await new Promise((resolve) => setTimeout(resolve, KEEP_EVERY_MS).unref());
      }
      isKeeping = false;
    })();
  };
}

/** Holds a stream that says more than its rate; nothing is lost, and the others are not kept waiting. */
function createHolding(stream: AgentStream): () => void {
  let [count, sinceMs] = [0, performance.now()];
  return () => {
    const nowMs = performance.now();
    if (nowMs - sinceMs > 1000) [count, sinceMs] = [0, nowMs];
    count += 1;
    if (count !== PER_SECOND) return;
    stream.pause();
    setTimeout(() => stream.resume(), 1000).unref();
  };
}

async function readKey({ relational }: RunnersDeps, tenant: TenantId, runnerId: string): Promise<Buffer> {
  const text = 'SELECT public_key FROM runners WHERE id = $1 AND revoked_at IS NULL';
  const { rows } = await relational.withSystemSql(tenant, (sql) => sql.query<{ public_key: Buffer }>(text, [runnerId]));
  if (!rows[0]) throw new AppError('forbidden', 'This runner was removed.');
  return rows[0].public_key;
}

/** The Runner service: statuses, plans and runs on demand on one stream, reports on another. */
export function createRunnerConnect(deps: ConnectDeps) {
  const { keeper, publish, onAnswer, clock, log } = deps;
  const contacts = createContacts(deps);
  const pace = createReportPace();
  const open = new Map<string, ConnectedRunner>();
  const keyOf = (tenant: TenantId, id: string): string => `${tenant}/${id}`;

  async function serve(stream: AgentStream, ended: AbortSignal, write: Write): Promise<void> {
    const { agent } = agentOf(stream);
    const runner = { tenant: agent.tenant, runnerId: agent.agentId };
    const to = { ...runner, spki: await readKey(deps, runner.tenant, runner.runnerId) };
    if (ended.aborted) return;
    const held: ConnectedRunner = { to, ended, run: (request) => void write({ run: request }).catch(() => {}) };
    open.set(keyOf(runner.tenant, runner.runnerId), held);
    await contacts.connected(runner);
    const givePlan = createPlanStream(to, (plan) => write({ plan }));
    const stop = keeper.watch(runner.tenant, runner.runnerId, givePlan);
    const end = (): void => {
      stop();
      if (open.get(keyOf(runner.tenant, runner.runnerId)) === held) open.delete(keyOf(runner.tenant, runner.runnerId));
    };
    if (ended.aborted) end();
    else ended.addEventListener('abort', end, { once: true });
  }

  const connect = (stream: AgentStream): void => {
    const { agent, draining } = agentOf(stream);
    const runner = { tenant: agent.tenant, runnerId: agent.agentId };
    const over = new AbortController();
    for (const event of ['cancelled', 'finish', 'close', 'error']) stream.once(event, () => over.abort());
    draining.addEventListener('abort', () => stream.end(), { once: true });
    const fail = (error: unknown): void => {
      if (!(error instanceof AppError)) log.error({ err: error }, 'the stream of a runner failed');
      if (!over.signal.aborted) stream.emit('error', toGrpcError(error));
    };
    const write = createWriter(stream, { clock, ended: over.signal });
    const keep = createKeeping((status) => contacts.told(runner, status));
    const hold = createHolding(stream);
    stream.on('data', (bytes: Buffer) => {
      hold();
      try {
        const message = decode(bytes);
        onAnswer(runner, message);
        if (!message.status) return;
        keep(message.status);
        // Each status is answered, with our clock.
        write({ renew_now: agent.notAfterMs - clock.now() < RENEW_BELOW_MS }).catch(() => {});
      } catch (error) {
        fail(error);
      }
    });
    stream.on('end', () => stream.end());
    serve(stream, over.signal, write).catch(fail);
  };

  /** Until the tenant's tests are known here, nothing can be said of a report. */
  const known = (tenant: TenantId, runnerId: string): Promise<() => void> =>
    new Promise((resolve) => {
      const stop = keeper.watch(tenant, runnerId, () => resolve(stop));
    });

  // Bytes are decoded in the handlers, so that what is no message ends with our words and not with a crash of the codec.
  const raw = { requestDeserialize: (bytes: Buffer) => bytes };
  const mount: GrpcMount = {
    speakers: 'runners',
    definition: { connect: { ...RUNNER_SERVICE.connect, ...raw }, publish: { ...RUNNER_SERVICE.publish, ...raw } },
    implementation: {
      connect: connect as never,
      publish: ((stream: AgentStream) => serveReports(stream, { publish, keeper, pace, known, clock, log })) as never,
    },
  };
  return {
    mount,
    find: (tenant: TenantId, id: string): ConnectedRunner | undefined => open.get(keyOf(tenant, id)),
    connected: (): number => open.size,
  };
}

export type RunnerConnect = ReturnType<typeof createRunnerConnect>;
