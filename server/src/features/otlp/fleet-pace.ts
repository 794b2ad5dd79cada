import type { FastifyBaseLogger } from 'fastify';
import { isTenantId, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { isLate, type Pace } from './pace.ts';
import type { Signal } from './wire/index.ts';

const CHANNEL = 'otlp_pace';
/** Of one tenant and signal: well within the time for which a report counts. */
const EVERY_MS = 1000;
const PATTERN = /^(traces|logs|metrics) ([a-z0-9-]+) (\d{1,12}) (\S+)$/;

interface FleetPaceDeps {
  relational: Pick<Relational, 'listen' | 'withSystemSql'>;
  pace: Pick<Pace, 'stored' | 'storedElsewhere'>;
  /** Names this process among the replicas. */
  own: string;
  nowMs?: () => number;
  log: FastifyBaseLogger;
}

/**
 * Tells the other replicas how late a tenant's rows are: on Kafka one of them stores a partition and all of them receive for it, so a flood
 * through another replica would never be held. A report that is lost is followed by the next one; none is sent for what is on time.
 */
export function createFleetPace({ relational, pace, own, nowMs = () => performance.now(), log }: FleetPaceDeps) {
  const told = new Map<string, number>();
  let stop: (() => Promise<void>) | undefined;

  function tell(signal: Signal, tenant: TenantId, ageMs: number): void {
    const key = `${signal} ${tenant}`;
    const now = nowMs();
    for (const [one, atMs] of told) if (now - atMs >= EVERY_MS) told.delete(one);
    if (told.has(key)) return;
    told.set(key, now);
    relational
      .withSystemSql(tenant, async (sql) => {
        await sql.query('SELECT pg_notify($1, $2)', [CHANNEL, `${key} ${Math.round(ageMs)} ${own}`]);
      })
      .catch((error: unknown) => log.debug({ err: error }, 'the other replicas were not told how late rows are'));
  }

  return {
    stored(signal: Signal, tenant: TenantId, ageMs: number): void {
      pace.stored(signal, tenant, ageMs);
      if (isLate(ageMs)) tell(signal, tenant, ageMs);
    },
    async start(): Promise<void> {
      stop = await relational.listen(CHANNEL, (payload) => {
        const [, signal, tenant = '', ageMs, by] = PATTERN.exec(payload) ?? [];
        if (by !== undefined && by !== own && isTenantId(tenant)) pace.storedElsewhere(signal as Signal, tenant, Number(ageMs));
      });
    },
    async close(): Promise<void> {
      await stop?.();
    },
  };
}
