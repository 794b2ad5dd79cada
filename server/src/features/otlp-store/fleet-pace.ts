import type { Signal } from '@svc/otlp-wire/walk';
import type { FastifyBaseLogger } from 'fastify';
import { isTenantId, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { StoredNewest } from './consume.ts';
import type { Pace } from './pace.ts';

const CHANNEL = 'otlp_pace';
/** Of one tenant, signal and receiver: well within the time for which a report counts. */
const EVERY_MS = 1000;
const PATTERN = /^(traces|logs|metrics) ([a-z0-9-]+) ([0-9a-f-]{36})\/(\d{1,15}) (beside|alone)$/;
const RECEIPT = /^([0-9a-f-]{36})\/(\d{1,15})$/;

interface FleetPaceDeps {
  relational: Pick<Relational, 'listen' | 'withSystemSql'>;
  pace: Pick<Pace, 'stored' | 'storedElsewhere'>;
  /** A UUID that names this process among the replicas. */
  own: string;
  /** Of this process alone, and never set. */
  nowMs?: () => number;
  log: FastifyBaseLogger;
}

/**
 * On Kafka one replica stores a partition and all of them receive for it, so a flood through another one would never be held. Each puts a
 * receipt on what it receives, its own name and time; whoever stores that reports the receipt back, and the receiver reads on its own clock
 * how long that took. Nobody compares the clocks of two hosts. A report that is lost is followed by the next one.
 */
export function createFleetPace({ relational, pace, own, nowMs = () => performance.now(), log }: FleetPaceDeps) {
  const told = new Map<string, number>();
  let stop: (() => Promise<void>) | undefined;

  function tell({ signal, tenant, isBesideOthers }: StoredNewest, by: string, receipt: string): void {
    const key = `${signal} ${tenant} ${by}`;
    const now = nowMs();
    for (const [one, atMs] of told) if (now - atMs >= EVERY_MS) told.delete(one);
    if (told.has(key)) return;
    told.set(key, now);
    relational
      .withSystemSql(tenant, async (sql) => {
        const payload = `${signal} ${tenant} ${receipt} ${isBesideOthers ? 'beside' : 'alone'}`;
        await sql.query('SELECT pg_notify($1, $2)', [CHANNEL, payload]);
      })
      .catch((error: unknown) => log.debug({ err: error }, 'the other replicas were not told what was stored'));
  }

  return {
    /** For what is received now. */
    receipt: (): string => `${own}/${Math.round(nowMs())}`,
    /** Large tenants' rows can be read; of what has no receipt nobody knows how late it is. */
    noteStored(stored: StoredNewest): void {
      const [receipt, by = '', atMs] = RECEIPT.exec(stored.receipt ?? '') ?? [];
      if (receipt === undefined) return;
      if (by === own) pace.stored(stored.signal, stored.tenant, nowMs() - Number(atMs));
      else tell(stored, by, receipt);
    },
    async start(): Promise<void> {
      stop = await relational.listen(CHANNEL, (payload) => {
        const [, signal, tenant = '', by, atMs, company] = PATTERN.exec(payload) ?? [];
        if (by !== own || !isTenantId(tenant)) return;
        // Nobody waits behind a tenant that is alone: it is held as where it is stored here.
        const note = company === 'beside' ? pace.storedElsewhere : pace.stored;
        note(signal as Signal, tenant as TenantId, nowMs() - Number(atMs));
      });
    },
    async close(): Promise<void> {
      await stop?.();
    },
  };
}
