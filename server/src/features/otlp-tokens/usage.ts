import type { Signal } from '@svc/otlp-wire/walk';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock, TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type Pending, type RefusalCount, type TokenUse, writeUsage } from './usage-store.ts';

/** What was counted since the last report. */
export interface Counted {
  uses: readonly TokenUse[];
  refusals: readonly RefusalCount[];
}

const TICK_MS = 1000;
/** A tenant that was quiet is written at the next tick, a busy one so often. */
const WRITE_EVERY_MS = 10_000;
const RATE_WINDOW_MS = 10_000;

export interface UsageTotals {
  accepted: { tenant: TenantId; signal: Signal; requests: number; items: number; bytes: number }[];
  /** `tenant` is undefined where no token told it. */
  refused: { tenant: TenantId | undefined; reason: string; count: number }[];
}

const newPending = (): Pending => ({ uses: new Map(), refusals: new Map() });

function addUse({ uses }: Pending, use: TokenUse & { lastAtMs: number }): void {
  const key = `${use.tokenId}/${use.signal}`;
  const known = uses.get(key);
  if (!known) uses.set(key, { ...use });
  else {
    known.requests += use.requests;
    known.items += use.items;
    known.bytes += use.bytes;
    known.lastAtMs = Math.max(known.lastAtMs, use.lastAtMs);
  }
}

function addRefusal({ refusals }: Pending, refusal: RefusalCount & { lastAtMs: number }): void {
  const known = refusals.get(refusal.reason);
  const resource = refusal.resource ?? known?.resource;
  refusals.set(refusal.reason, { ...refusal, resource, count: refusal.count + (known?.count ?? 0) });
}

interface UsageDeps {
  relational: Relational;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Totals since the start, for operations; bounded by tenants, signals and reasons. */
function createTotals() {
  const accepted = new Map<string, UsageTotals['accepted'][number]>();
  const refused = new Map<string, UsageTotals['refused'][number]>();
  return {
    add({ uses, refusals }: Counted): void {
      for (const { tenant, signal, requests, items, bytes } of uses) {
        const known = accepted.get(`${tenant}/${signal}`) ?? { tenant, signal, requests: 0, items: 0, bytes: 0 };
        known.requests += requests;
        known.items += items;
        known.bytes += bytes;
        accepted.set(`${tenant}/${signal}`, known);
      }
      for (const { tenant, reason, count } of refusals) {
        const known = refused.get(`${tenant ?? ''}/${reason}`) ?? { tenant, reason, count: 0 };
        known.count += count;
        refused.set(`${tenant ?? ''}/${reason}`, known);
      }
    },
    read: (): UsageTotals => structuredClone({ accepted: [...accepted.values()], refused: [...refused.values()] }),
  };
}

/** Items of the last ten seconds by tenant. */
function createRates(clock: Clock) {
  const recent = new Map<TenantId, { atMs: number; items: number }[]>();
  return {
    add(tenant: TenantId, items: number): void {
      const list = recent.get(tenant) ?? [];
      list.push({ atMs: clock.now(), items });
      while (list[0] && Math.abs(clock.now() - list[0].atMs) > RATE_WINDOW_MS) list.shift();
      recent.set(tenant, list);
    },
    perSecond(tenant: TenantId): number {
      const list = recent.get(tenant)?.filter(({ atMs }) => Math.abs(clock.now() - atMs) <= RATE_WINDOW_MS) ?? [];
      return list.reduce((sum, { items }) => sum + items, 0) / (RATE_WINDOW_MS / 1000);
    },
  };
}

/** Keeps what the receiver reports: in memory at once, in PostgreSQL within seconds. What cannot be written waits, counted together. */
export function createUsage({ relational, clock, log }: UsageDeps) {
  const pending = new Map<TenantId, Pending>();
  const writtenAtMs = new Map<TenantId, number>();
  const unknown = { count: 0, lastAtMs: 0 };
  const totals = createTotals();
  const rates = createRates(clock);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const pendingOf = (tenant: TenantId): Pending => {
    const known = pending.get(tenant) ?? newPending();
    pending.set(tenant, known);
    return known;
  };

  const writeTenant = async (tenant: TenantId): Promise<void> => {
    const taken = pending.get(tenant);
    if (!taken) return;
    pending.delete(tenant);
    writtenAtMs.set(tenant, performance.now());
    try {
      await relational.withSystemSql(tenant, (sql) => writeUsage(sql, tenant, taken));
    } catch (error) {
      log.warn({ err: error, tenant }, 'the use of OTLP tokens could not be written; again in a while');
      const kept = pendingOf(tenant);
      for (const use of taken.uses.values()) addUse(kept, use);
      for (const refusal of taken.refusals.values()) addRefusal(kept, refusal);
    }
  };

  const writeDue = (isDue: (tenant: TenantId) => boolean): Promise<void> => {
    writing = writing.then(async () => {
      for (const tenant of [...pending.keys()]) if (isDue(tenant)) await writeTenant(tenant);
    });
    return writing;
  };
  const wasQuiet = (tenant: TenantId) =>
    performance.now() - (writtenAtMs.get(tenant) ?? Number.NEGATIVE_INFINITY) >= WRITE_EVERY_MS;

  return {
    add(report: Counted): void {
      const lastAtMs = clock.now();
      totals.add(report);
      for (const use of report.uses) {
        rates.add(use.tenant, use.items);
        addUse(pendingOf(use.tenant), { ...use, lastAtMs });
      }
      for (const refusal of report.refusals) {
        if (refusal.tenant !== undefined) addRefusal(pendingOf(refusal.tenant), { ...refusal, lastAtMs });
        else if (refusal.reason === 'unknown_token' || refusal.reason === 'missing_token') {
          unknown.count += refusal.count;
          unknown.lastAtMs = lastAtMs;
        }
      }
    },
    start(): void {
      timer = setInterval(() => void writeDue(wasQuiet), TICK_MS);
      timer.unref();
    },
    /** Writes what waits, so that who asks reads it. */
    flush: (tenant: TenantId): Promise<void> => writeDue((one) => one === tenant),
    itemsPerSecond: rates.perSecond,
    /** Requests without a token of ours since the start: nobody's, so everybody may know how many. */
    unknownTokens: () => ({ ...unknown }),
    totals: totals.read,
    async close(): Promise<void> {
      clearInterval(timer);
      await writeDue(() => true);
    },
  };
}

export type Usage = ReturnType<typeof createUsage>;
