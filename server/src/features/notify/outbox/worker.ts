import { isTenantId, type TenantId } from '#kernel';
import { listTenants } from '#relational';
import type { Connections } from '../connectors/connections.ts';
import type { NotifyDeps } from '../context.ts';
import { claimMessages } from './claim.ts';
import { type Recorded, recordResult } from './record.ts';
import type { Job } from './rows.ts';
import { sendJob } from './send.ts';

/** The trigger of 0117_notifications sends the tenant whose outbox has something new. */
const CHANNEL = 'svc_notify_outbox';
/** Finds what a lost notification would have told, and what another worker left behind. */
const SWEEP_MS = 15_000;
const RETRY_MS = 1000;
const WAITS = `SELECT EXISTS (SELECT FROM notify_outbox WHERE state IN ('waiting', 'confirming')) AS waits`;
/** Timers of Node end early beyond. */
const MAX_WAIT_MS = 60_000;

export interface WorkerOptions {
  deps: NotifyDeps;
  connections: Connections;
  onRecorded: (tenant: TenantId, words: readonly Recorded[]) => void;
}

interface Line {
  isLooking: boolean;
  isTold: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** One job from call to record. Rejects where it could not be written: its lease ends, and then it is in doubt. */
export async function doJob({ deps, connections, onRecorded }: WorkerOptions, tenant: TenantId, job: Job): Promise<void> {
  for (const done of await sendJob({ deps, connections, tenant }, job)) {
    const recorded = await recordResult(deps, { tenant, job }, done);
    if (recorded) onRecorded(tenant, recorded);
    else
      deps.log.warn(
        { tenant, connector: job.connector.id },
        'a message was sent later than its lease allows; another worker took it up',
      );
  }
}

interface Sweep {
  deps: Pick<NotifyDeps, 'relational' | 'log'>;
  wake: (tenant: TenantId) => void;
  isClosed: () => boolean;
}

/** Wakes those whose outbox holds something; one tenant after the other, so that a look at many costs others little. */
function createSweep({ deps: { relational, log }, wake, isClosed }: Sweep): () => Promise<void> {
  let isOn = false;
  return async () => {
    if (isOn) return;
    isOn = true;
    try {
      for (const { id } of await listTenants(relational)) {
        if (isClosed() || !isTenantId(id)) continue;
        const { rows } = await relational.withSystemSql(id, (sql) => sql.query<{ waits: boolean }>(WAITS));
        if (rows[0]?.waits) wake(id);
      }
    } catch (error) {
      log.debug({ err: error }, 'the outboxes could not be read for now');
    } finally {
      isOn = false;
    }
  };
}

/** Sends what the outboxes hold, on every replica at once: each message is leased to one of them. */
export function createWorker(options: WorkerOptions) {
  const { deps } = options;
  const { relational, log } = deps;
  const lines = new Map<TenantId, Line>();
  const running = new Set<Promise<void>>();
  let sweep: NodeJS.Timeout | undefined;
  let unlisten: (() => Promise<void>) | undefined;
  let isClosed = false;

  const begin = (tenant: TenantId, job: Job): void => {
    const work = doJob(options, tenant, job)
      .catch((error: unknown) => log.warn({ err: error, tenant }, 'what became of a message could not be written for now'))
      .finally(() => {
        running.delete(work);
        wake(tenant);
      });
    running.add(work);
  };

  async function look(tenant: TenantId, line: Line): Promise<void> {
    clearTimeout(line.timer);
    line.timer = undefined;
    let nextMs: number | undefined = deps.clock.now() + RETRY_MS;
    try {
      const claimed = await claimMessages(deps, tenant);
      nextMs = claimed.nextMs;
      for (const job of claimed.jobs) begin(tenant, job);
    } catch (error) {
      log.debug({ err: error, tenant }, 'an outbox could not be read for now');
    }
    if (nextMs === undefined || isClosed) return;
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(0, nextMs - deps.clock.now()));
    line.timer = setTimeout(() => wake(tenant), waitMs).unref();
  }

  async function follow(tenant: TenantId, line: Line): Promise<void> {
    line.isLooking = true;
    while (line.isTold && !isClosed) {
      line.isTold = false;
      await look(tenant, line);
    }
    line.isLooking = false;
    if (line.timer === undefined && !line.isTold) lines.delete(tenant);
  }

  function wake(tenant: TenantId): void {
    if (isClosed) return;
    const line = lines.get(tenant) ?? { isLooking: false, isTold: false, timer: undefined };
    lines.set(tenant, line);
    line.isTold = true;
    if (!line.isLooking) void follow(tenant, line);
  }

  const wakeAll = createSweep({ deps, wake, isClosed: () => isClosed });

  return {
    async start(): Promise<void> {
      unlisten = await relational.listen(CHANNEL, (payload) => {
        if (payload === '') void wakeAll();
        else if (isTenantId(payload)) wake(payload);
      });
      sweep = setInterval(() => void wakeAll(), SWEEP_MS).unref();
      void wakeAll();
    },
    /** Takes nothing new and waits for what is on its way. */
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(sweep);
      for (const { timer } of lines.values()) clearTimeout(timer);
      await unlisten?.();
      while (running.size > 0) await Promise.all(running);
    },
  };
}
