import { createTenantTurns, type TenantId } from '#kernel';

/** A page of the console asks up to eight at once: some people may open one together. */
const MAX_WAITING = 64;
/** Time that a tenant's questions took counts half after so long. */
const HALF_LIFE_MS = 10_000;
/** Each doubling of it is one step behind: a person who looks around takes less. */
const STEP_MS = 500;
const LOWEST_PRIORITY = 9;
/** From here on a tenant takes more of the processor than a person who looks around. */
const LOUD_PRIORITY = 4;

/** How a question is to be worked on beside those of others. */
export interface ReadShare {
  /** As ClickHouse's setting: while a query of a lower number runs, this one pauses (for a second at most) after each block. From 1; 0 is the system's own work. */
  priority: number;
  /** On one thread only, since the tenant has asked much lately and others want to know something too. */
  onOneThread: boolean;
}

/**
 * Keeps one tenant's questions from taking the place of another's: a tenant has at most so many at once, and 64 more that wait in their
 * order; and whoever asked for much lately goes behind whoever asked for little, with half as many at once beside others: small questions are
 * over before a priority counts. The column store holds it for each question by itself.
 */
export interface TenantReaders {
  /** `rate_limited`, to be tried again in a second, when too many of this tenant wait; as TenantTurns where `ended` is aborted. */
  use<T>(tenant: TenantId, work: (share: ReadShare) => Promise<T>, ended?: AbortSignal): Promise<T>;
}

/** Time that each tenant's questions took lately. */
function createSpending(nowMs: () => number) {
  const spent = new Map<TenantId, { ms: number; atMs: number }>();
  const read = (tenant: TenantId): number => {
    const one = spent.get(tenant);
    return one === undefined ? 0 : one.ms * 0.5 ** ((nowMs() - one.atMs) / HALF_LIFE_MS);
  };
  const dropPast = (): void => {
    for (const tenant of spent.keys()) if (read(tenant) < 1) spent.delete(tenant);
  };
  return {
    read,
    add(tenant: TenantId, ms: number): void {
      if (!spent.has(tenant)) dropPast();
      spent.set(tenant, { ms: read(tenant) + ms, atMs: nowMs() });
    },
  };
}

interface ReaderOptions {
  nowMs?: () => number;
  /** Other processes ask the same store: somebody may wait there of whom nothing is known here. */
  sharesStore?: boolean;
}

export function createTenantReaders(
  maxAtOnce: number,
  { nowMs = () => performance.now(), sharesStore = false }: ReaderOptions = {},
): TenantReaders {
  const refusal = 'Too many concurrent queries of this tenant.';
  const spending = createSpending(nowMs);
  const priorityOf = (tenant: TenantId): number =>
    Math.min(LOWEST_PRIORITY, 1 + Math.floor(Math.log2(1 + spending.read(tenant) / STEP_MS)));
  const beside = (tenant: TenantId): number =>
    priorityOf(tenant) >= LOUD_PRIORITY ? Math.max(1, Math.floor(maxAtOnce / 2)) : maxAtOnce;
  const turns = createTenantTurns({ alone: maxAtOnce, beside, maxWaiting: MAX_WAITING, refusal, nowMs });
  const running = new Map<TenantId, number>();
  const count = (tenant: TenantId, more: number): number => {
    const now = (running.get(tenant) ?? 0) + more;
    if (now > 0) running.set(tenant, now);
    else running.delete(tenant);
    return now;
  };
  return {
    use: (tenant, work, ended) =>
      turns.use(
        tenant,
        async ({ isBesideOthers }) => {
          const priority = priorityOf(tenant);
          const start = nowMs();
          const isOneOfMany = count(tenant, 1) > 1;
          const isBeside = isBesideOthers || (sharesStore && isOneOfMany);
          try {
            return await work({ priority, onOneThread: isBeside && priority >= LOUD_PRIORITY });
          } finally {
            count(tenant, -1);
            spending.add(tenant, nowMs() - start);
          }
        },
        ended,
      ),
  };
}
