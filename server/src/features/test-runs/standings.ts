import type { Clock, TenantId } from '#kernel';
import type { RunQueries } from './queries.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Used for so long, and for a while longer while newer ones are computed. */
const FRESH_MS = 15_000;
const STALE_MS = 60_000;
const MAX_TENANTS = 200;

export interface Standing {
  availability: number | undefined;
  p95Ms: number | undefined;
}

type Standings = ReadonlyMap<string, Standing>;

/** Availability and p95 of 24 hours of all tests of a tenant, remembered for a moment: what a list is sorted by. */
export function createStandings({ queries, clock }: { queries: Pick<RunQueries, 'whole'>; clock: Clock }) {
  const kept = new Map<TenantId, { atMs: number; standings: Standings }>();
  const reading = new Map<TenantId, Promise<Standings>>();

  async function read(tenant: TenantId): Promise<Standings> {
    const nowMs = clock.now();
    const fromMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS - DAY_MS + HOUR_MS;
    const whole = await queries.whole(tenant, {}, { fromMs, toMs: nowMs });
    const standings = new Map(
      [...whole].map(([id, { passed, failed, p95Ms }]) => [
        id,
        { availability: passed + failed > 0 ? passed / (passed + failed) : undefined, p95Ms },
      ]),
    );
    if (kept.size >= MAX_TENANTS) kept.delete(kept.keys().next().value as TenantId);
    kept.set(tenant, { atMs: clock.now(), standings });
    return standings;
  }

  function refresh(tenant: TenantId): Promise<Standings> {
    const under = reading.get(tenant) ?? read(tenant).finally(() => reading.delete(tenant));
    reading.set(tenant, under);
    return under;
  }

  return async (tenant: TenantId): Promise<Standings> => {
    const known = kept.get(tenant);
    const age = known ? clock.now() - known.atMs : Number.POSITIVE_INFINITY;
    if (!known || age > STALE_MS) return await refresh(tenant);
    // What fails here is told when it is too old to be used.
    if (age > FRESH_MS) void refresh(tenant).catch(() => {});
    return known.standings;
  };
}
