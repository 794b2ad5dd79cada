import type { TenantId } from '#kernel';

/** Messages of a tenant that were each proven to be at fault before others of it may be set aside without a trial of their own. */
const PROVEN = 5;
/** How long a tenant's messages are handled apart from the others' after one of them was set aside. */
const WATCHED_MS = 10 * 60_000;
const MAX_WATCHED = 1000;
/** Time that a partition may spend on finding messages at fault: this much at once unless told, and this part of its time. */
const BUDGET_MS = 2000;
const BUDGET_SHARE = 0.25;

/** Time to spend, milliseconds, that grows back as a part of the time that passes. */
export function createBudget(mostMs = BUDGET_MS) {
  let left = mostMs;
  let last = performance.now();
  return {
    async spend<T>(work: (began: number) => Promise<T>): Promise<T> {
      const began = performance.now();
      left = Math.min(mostMs, left + BUDGET_SHARE * (began - last));
      try {
        return await work(began);
      } finally {
        last = performance.now();
        left -= last - began;
      }
    },
    /** Of work that runs since `began`. */
    isSpent: (began: number): boolean => performance.now() - began > left,
  };
}

/** Tenants of which messages were set aside lately. */
export function createWatched() {
  const tenants = new Map<TenantId, { proven: number; until: number }>();
  const find = (tenant: TenantId) => {
    const found = tenants.get(tenant);
    if (found && found.until > Date.now()) return found;
    tenants.delete(tenant);
    return undefined;
  };
  return {
    has: (tenant: TenantId): boolean => find(tenant) !== undefined,
    isProven: (tenant: TenantId): boolean => (find(tenant)?.proven ?? 0) >= PROVEN,
    isEmpty: (): boolean => {
      for (const tenant of tenants.keys()) find(tenant);
      return tenants.size === 0;
    },
    note(tenant: TenantId, proven: number): void {
      const before = find(tenant)?.proven ?? 0;
      tenants.delete(tenant);
      const [oldest] = tenants.keys();
      if (oldest !== undefined && tenants.size >= MAX_WATCHED) tenants.delete(oldest);
      tenants.set(tenant, { proven: before + proven, until: Date.now() + WATCHED_MS });
    },
  };
}

export type Budget = ReturnType<typeof createBudget>;
export type Watched = ReturnType<typeof createWatched>;
