import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { AppError, isTenantId, type TenantId } from '#kernel';
import { listTenants, releaseLease } from './directory.ts';
import type { Relational, TenantSql } from './port.ts';
import { asSystem, type SystemDoor } from './tenant-rounds.ts';

/** What the holder of a lease writes with (docs/stores/leased-work.md): `assertFence` refuses it as soon as another one has the lease. */
export interface Fence {
  readonly lease: string;
  /** Greater than those of all holders before. */
  readonly number: number;
  /** Aborted once the lease is lost, may be lost, or is to be given back: the work ends soon. */
  readonly signal: AbortSignal;
}

export interface LeasedWorkOptions {
  /** Of the lease: one process at a time does the work of a name. */
  name: string;
  /** From the start of one run to that of the next; a run that takes longer is followed at once, and never by two. */
  everyMs: number;
  /** How long a dead holder keeps the others waiting; the same in all processes. */
  ttlMs?: number;
  /**
   * Done by the holder alone, again and again. It may take as long as it likes, the lease is renewed meanwhile, and it ends when
   * `fence.signal` aborts. What it writes it writes in transactions that begin with `assertFence`. A rejection is logged.
   */
  work(fence: Fence): Promise<void>;
  log: FastifyBaseLogger;
}

export interface LeasedWork {
  /** Waits for the run that is on, then gives the lease back. */
  close(): Promise<void>;
}

const TTL_MS = 15_000;

/**
 * First in a transaction: AppError `writer_unavailable` where the lease is another's by now. It stays this holder's until the transaction
 * ends, so that nobody works beside it: keep such transactions far shorter than the lease.
 */
export async function assertFence(sql: TenantSql, { lease, number }: Pick<Fence, 'lease' | 'number'>): Promise<void> {
  const { rows } = await sql.query<{ held: boolean }>('SELECT held FROM directory_hold_fence($1, $2)', [lease, number]);
  if (rows[0]?.held !== true)
    throw new AppError('writer_unavailable', 'Another server does this work now.', { retryAfterSeconds: 1 });
}

/** One tenant after the other, for work of a lease; it stops when the lease is lost. A tenant's failure is logged and the next follows. */
export async function visitTenants(
  { relational, log }: { relational: Relational; log: FastifyBaseLogger },
  fence: Fence,
  visit: (tenant: TenantId, system: SystemDoor) => Promise<void>,
): Promise<void> {
  for (const { id } of await listTenants(relational)) {
    if (fence.signal.aborted) return;
    if (!isTenantId(id)) continue;
    await visit(id, asSystem(relational)).catch((error: unknown) => {
      if (!fence.signal.aborted) log.error({ err: error, tenant: id, work: fence.lease }, 'periodic work failed for a tenant');
    });
  }
}

interface Held {
  fence: Fence;
  abort: AbortController;
  /** Of this process's monotonic clock, when it last asked and was given the lease. */
  askedAtMs: number;
}

/** Takes, renews and gives up one lease. */
function createLeaseKeeper(relational: Pick<Relational, 'directory'>, { name, ttlMs }: { name: string; ttlMs: number }) {
  const holder = randomUUID();
  let held: Held | undefined;

  const lose = (): void => {
    held?.abort.abort();
    held = undefined;
  };

  /** The fence of this process; undefined while another has the lease. Rejects where the database does not answer. */
  async function take(): Promise<Fence | undefined> {
    const askedAtMs = performance.now();
    const rows = await relational.directory<{ fence: string }>('take_fenced_lease', [name, holder, ttlMs]);
    const number = rows[0] && Number(rows[0].fence);
    if (held && held.fence.number !== number) lose();
    if (number === undefined) return undefined;
    const abort = held?.abort ?? new AbortController();
    held = {
      fence: held?.fence ?? { lease: name, number, signal: abort.signal },
      abort,
      askedAtMs: Math.max(askedAtMs, held?.askedAtMs ?? 0),
    };
    return held.fence;
  }

  return {
    take,
    /** Keeps what this process has; without an answer for as long as the lease lasts it counts as lost. */
    async renew(): Promise<void> {
      if (!held) return;
      if (performance.now() - held.askedAtMs >= ttlMs) lose();
      else await take().catch(() => undefined);
    },
    /** Tells the work to end; it may still write. */
    stop: (): void => held?.abort.abort(),
    giveBack: async (): Promise<void> => {
      held = undefined;
      await releaseLease(relational as Relational, { name, holder });
    },
  };
}

/** Work that exactly one of all replicas does, run after run; another one takes over when it ends or dies. */
export function startLeasedWork(relational: Relational, options: LeasedWorkOptions): LeasedWork {
  const { name, everyMs, ttlMs = TTL_MS, work, log } = options;
  const keeper = createLeaseKeeper(relational, { name, ttlMs });
  const closing = new AbortController();

  async function runOnce(): Promise<void> {
    const fence = await keeper.take();
    if (!fence || closing.signal.aborted) return;
    try {
      await work(fence);
    } catch (error) {
      if (fence.signal.aborted) log.debug({ err: error, work: name }, 'leased work ended with its lease');
      else log.error({ err: error, work: name }, 'leased work failed');
    }
  }

  async function keepRunning(): Promise<void> {
    for (let dueAtMs = performance.now(); !closing.signal.aborted; ) {
      await runOnce().catch((error: unknown) => log.warn({ err: error, work: name }, 'leased work did not run'));
      // What is late is not made up for.
      dueAtMs = Math.max(dueAtMs + everyMs, performance.now());
      await pause(dueAtMs - performance.now(), closing.signal);
    }
  }

  const renewing = setInterval(() => void keeper.renew(), Math.max(10, ttlMs / 3)).unref();
  const running = keepRunning();
  return {
    async close() {
      closing.abort();
      keeper.stop();
      await running;
      clearInterval(renewing);
      await keeper.giveBack().catch((error: unknown) => log.debug({ err: error, work: name }, 'a lease was not given back'));
    },
  };
}

/** Ends early when the signal aborts, and keeps no process alive. */
const pause = async (ms: number, signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, Math.max(0, ms)).unref();
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
