import { createTenantTurns, type TenantId, type TenantTurns } from '#kernel';

/** A page of the console asks up to ten at once: some people may open one together. */
const MAX_WAITING = 128;

/** How the connections of one pool are shared out. */
export interface PoolShares {
  /** Of all tenants' requests together. */
  tenants: number;
  /** Of one tenant while no other one asks. */
  alone: number;
  /** Of one tenant while others ask too. */
  beside: number;
  /** Of consumers and periodic work; of one tenant's one less. What is left of the pool is for the directory alone: sessions, credentials, readiness. */
  background: number;
}

/** For 10 connections: 5 for tenants (one has at most 4, beside others 2), 3 for the system's work, 2 for the directory. */
export function sharesOf(poolSize: number): PoolShares {
  const background = Math.max(1, Math.floor(poolSize * 0.3));
  const directory = Math.floor(poolSize * 0.2);
  const tenants = Math.max(1, poolSize - background - directory);
  return { tenants, alone: Math.max(1, tenants - 1), beside: Math.max(1, Math.floor(tenants / 2)), background };
}

/** Runs transactions of tenants, each in its turn. */
export interface PoolTurns {
  use<T>(tenant: TenantId, isBackground: boolean, work: () => Promise<T>): Promise<T>;
}

export function createPoolTurns(poolSize: number): PoolTurns {
  const { tenants, alone, beside, background } = sharesOf(poolSize);
  const refusal = 'Too many concurrent requests of this tenant.';
  const asked: TenantTurns = createTenantTurns({ total: tenants, alone, beside, maxWaiting: MAX_WAITING, refusal });
  // Whoever works in the background is bounded itself: its line refuses nobody, since what it does is acknowledged already.
  const unbounded = { maxWaiting: Number.POSITIVE_INFINITY, refusal };
  const working = createTenantTurns({ ...unbounded, total: background, alone: Math.max(1, background - 1) });
  return { use: (tenant, isBackground, work) => (isBackground ? working : asked).use(tenant, work) };
}
