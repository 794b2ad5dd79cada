import type { FastifyBaseLogger } from 'fastify';
import type { Clock, TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

const WRITE_EVERY_MS = 2000;
/** Webhooks whose refusals wait to be written; those of more are in the own metrics alone. */
const MOST_WAITING = 10_000;

interface Waiting<Reason> {
  tenant: TenantId;
  webhook: string;
  reason: Reason;
  count: number;
  lastAtMs: number;
}

export interface RefusalsDeps {
  relational: Pick<Relational, 'withSystemSql'>;
  /** The slice's own tables: of webhooks, and of what was refused of each by day and reason. */
  tables: { webhooks: string; refusals: string };
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'debug'>;
}

// One whose webhook was deleted meanwhile has nowhere to stand.
const addSql = ({ webhooks, refusals }: RefusalsDeps['tables']): string =>
  `INSERT INTO ${refusals} AS r (tenant_id, webhook_id, day, reason, count, last_at)
  SELECT w.tenant_id, w.id, ($4::timestamptz AT TIME ZONE 'UTC')::date, $2, $3, $4 FROM ${webhooks} w WHERE w.id = $1
  ON CONFLICT (tenant_id, webhook_id, day, reason)
  DO UPDATE SET count = r.count + excluded.count, last_at = greatest(r.last_at, excluded.last_at)`;

export interface Refusals<Reason extends string> {
  add(tenant: TenantId, webhook: string, reason: Reason): void;
  /** Writes what was counted so far. */
  flush(): Promise<void>;
  start(): void;
  close(): Promise<void>;
}

/** Counts what was refused of each webhook, and writes it every two seconds: a flood costs no more than a drop. */
export function createRefusals<Reason extends string>({ relational, tables, clock, log }: RefusalsDeps): Refusals<Reason> {
  const text = addSql(tables);
  let waiting = new Map<string, Waiting<Reason>>();
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const put = (one: Waiting<Reason>): void => {
    const key = `${one.tenant}/${one.webhook}/${one.reason}`;
    const before = waiting.get(key);
    if (!before && waiting.size >= MOST_WAITING) return;
    waiting.set(
      key,
      before ? { ...one, count: before.count + one.count, lastAtMs: Math.max(one.lastAtMs, before.lastAtMs) } : one,
    );
  };

  const write = async (): Promise<void> => {
    const taken = [...waiting.values()];
    waiting = new Map();
    for (const [at, one] of taken.entries()) {
      const add = (sql: TenantSql) => sql.query(text, [one.webhook, one.reason, one.count, new Date(one.lastAtMs)]);
      try {
        await relational.withSystemSql(one.tenant, add);
      } catch (error) {
        log.debug({ err: error }, 'refused deliveries could not be counted for now');
        for (const left of taken.slice(at)) put(left);
        return;
      }
    }
  };

  const flush = async (): Promise<void> => {
    running = running.then(write, write);
    await running;
  };

  return {
    add: (tenant, webhook, reason) => put({ tenant, webhook, reason, count: 1, lastAtMs: clock.now() }),
    flush,
    start() {
      timer = setInterval(() => void flush(), WRITE_EVERY_MS);
      timer.unref();
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
