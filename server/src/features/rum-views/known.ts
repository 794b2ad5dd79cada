import { OTHER_PAGES, PAGE_GROUPS } from '@svc/contracts/rum/kinds';
import type { TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { ColumnStore } from '#telemetry';
import type { ViewRow } from './domain/read-view.ts';
import { readHosts, writeHosts } from './host-store.ts';

/** Hosts of an app that are told apart: an app that restricts none may be sent any. */
export const HOSTS_OF_APP = 200;
/** Of a tenant, over all of its apps: each is judged every minute for as long as its views are kept. */
export const HOSTS_OF_TENANT = 2000;
export const OTHER_HOST = 'other';

const DAY_MS = 86_400_000;
/** When a host was last heard of is written so often. */
const TELL_EVERY_MS = 10_000;
/** Kinds of page of a tenant in a day, over all of its apps. */
export const PAGES_OF_TENANT = 20_000;
/** Kinds of page in memory, over all tenants and days: beyond it the day of a tenant with most is read again when it is needed. */
const PAGES_IN_MEMORY = 400_000;
/** Days of a tenant in memory: today, and those of which the bus may still hold some. */
const DAYS_OF_TENANT = 3;

interface KnownHost {
  lastAtMs: number;
  /** What stands in the database. */
  toldAtMs: number;
}

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** Kinds of page of a tenant's day by app, and how many in all. */
interface KnownPages {
  apps: Map<string, Set<string>>;
  told: number;
}

function addPage(known: KnownPages, { app, page }: Pick<ViewRow, 'app' | 'page'>): boolean {
  const own = known.apps.get(app) ?? new Set<string>();
  if (page === OTHER_PAGES || own.has(page)) return false;
  known.apps.set(app, own.add(page));
  known.told += 1;
  return true;
}

/**
 * As they are stored already. All apps of a tenant at once, which is one partition: by app, whoever has many would have each of them read, and
 * everybody's views wait for that.
 */
async function readPages(store: ColumnStore, tenant: TenantId, day: number): Promise<KnownPages> {
  const sql = `SELECT app, page FROM rum_views WHERE tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64})
    AND ts < fromUnixTimestamp64Milli({toMs:Int64}) AND page != {other:String} GROUP BY app, page LIMIT ${PAGES_OF_TENANT}`;
  const span = { fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS, other: OTHER_PAGES };
  const read: KnownPages = { apps: new Map(), told: 0 };
  for (const row of await store.read<{ app: string; page: string }>(tenant, sql, span, { background: true })) addPage(read, row);
  return read;
}

/** Kinds of page of tenants' days, a bounded number of them in memory. */
function createKnownPages(store: ColumnStore) {
  const tenants = new Map<TenantId, Map<number, KnownPages>>();
  let inMemory = 0;

  function forget(tenant: TenantId, day: number): void {
    const days = tenants.get(tenant);
    inMemory -= days?.get(day)?.told ?? 0;
    days?.delete(day);
    if (days?.size === 0) tenants.delete(tenant);
  }

  /** Whoever has most gives way, so that nobody with few is read again because of others. */
  function makeRoom(current: KnownPages): void {
    while (inMemory > PAGES_IN_MEMORY) {
      let most: { tenant: TenantId; day: number; told: number } | undefined;
      for (const [tenant, days] of tenants)
        for (const [day, known] of days)
          if (known !== current && known.told > (most?.told ?? 0)) most = { tenant, day, told: known.told };
      if (!most) return;
      forget(most.tenant, most.day);
    }
  }

  async function pagesOf(tenant: TenantId, day: number): Promise<KnownPages> {
    const known = tenants.get(tenant)?.get(day);
    if (known) return known;
    const read = await readPages(store, tenant, day);
    const days = tenants.get(tenant) ?? new Map<number, KnownPages>();
    tenants.set(tenant, days.set(day, read));
    inMemory += read.told;
    if (days.size > DAYS_OF_TENANT) forget(tenant, Math.min(...days.keys()));
    makeRoom(read);
    return read;
  }

  return {
    /** The page of a view as it is stored. */
    async bound(tenant: TenantId, { app, page, receivedAtMs }: ViewRow): Promise<string> {
      const known = await pagesOf(tenant, dayOf(receivedAtMs));
      const own = known.apps.get(app);
      if (own?.has(page)) return page;
      if ((own?.size ?? 0) >= PAGE_GROUPS || known.told >= PAGES_OF_TENANT) return OTHER_PAGES;
      if (addPage(known, { app, page })) inMemory += 1;
      if (inMemory > PAGES_IN_MEMORY) makeRoom(known);
      return page;
    },
    drop(tenant: TenantId): void {
      for (const day of [...(tenants.get(tenant)?.keys() ?? [])]) forget(tenant, day);
    },
  };
}

/** Hosts of a tenant by app, and how many are told apart in all. */
interface KnownHosts {
  apps: Map<string, Map<string, KnownHost>>;
  told: number;
}

function placeHost({ apps, told }: KnownHosts, { app, host }: Pick<ViewRow, 'app' | 'host'>): string {
  const own = apps.get(app);
  if (own?.has(host)) return host;
  return (own?.size ?? 0) < HOSTS_OF_APP && told < HOSTS_OF_TENANT ? host : OTHER_HOST;
}

function addHost(known: KnownHosts, { app, host }: Pick<ViewRow, 'app' | 'host'>, times: KnownHost): void {
  const hosts = known.apps.get(app) ?? new Map<string, KnownHost>();
  known.apps.set(app, hosts.set(host, times));
  if (host !== OTHER_HOST) known.told += 1;
}

/**
 * Bounds hosts and pages, which senders choose: what is beyond is `other`. Hosts are counted in the database, pages in the store, so that a
 * restart and another process go on where this one was. One process handles a tenant at a time.
 */
export function createKnown({ relational, store }: { relational: Relational; store: ColumnStore }) {
  const tenants = new Map<TenantId, KnownHosts>();
  const pages = createKnownPages(store);

  async function hostsOf(tenant: TenantId): Promise<KnownHosts> {
    const known = tenants.get(tenant);
    if (known) return known;
    const read: KnownHosts = { apps: new Map(), told: 0 };
    for (const row of await relational.withSystemSql(tenant, readHosts))
      addHost(read, row, { lastAtMs: row.last_at.getTime(), toldAtMs: row.last_at.getTime() });
    tenants.set(tenant, read);
    return read;
  }

  async function boundOne(tenant: TenantId, view: ViewRow): Promise<ViewRow> {
    const all = await hostsOf(tenant);
    const host = placeHost(all, view);
    const known = all.apps.get(view.app)?.get(host);
    if (known) known.lastAtMs = Math.max(known.lastAtMs, view.receivedAtMs);
    else addHost(all, { app: view.app, host }, { lastAtMs: view.receivedAtMs, toldAtMs: Number.NEGATIVE_INFINITY });
    const page = await pages.bound(tenant, view);
    return host === view.host && page === view.page ? view : { ...view, host, page };
  }

  return {
    /** Views as they are stored. What they bring that is new counts from here on, also where they are not stored then. */
    async bound(tenant: TenantId, views: readonly ViewRow[]): Promise<ViewRow[]> {
      const bounded: ViewRow[] = [];
      for (const view of views) bounded.push(await boundOne(tenant, view));
      return bounded;
    },
    /** Tells the database of hosts that are new or were heard of again. */
    async tell(tenant: TenantId, views: readonly ViewRow[]): Promise<void> {
      const { apps } = await hostsOf(tenant);
      const seen = new Map<string, { app: string; host: string; firstAtMs: number; lastAtMs: number }>();
      for (const { app, host, receivedAtMs } of views) {
        const one = seen.get(`${app}\n${host}`) ?? { app, host, firstAtMs: receivedAtMs, lastAtMs: receivedAtMs };
        one.firstAtMs = Math.min(one.firstAtMs, receivedAtMs);
        one.lastAtMs = Math.max(one.lastAtMs, receivedAtMs);
        seen.set(`${app}\n${host}`, one);
      }
      const due = [...seen.values()].filter(({ app, host, lastAtMs }) => {
        const known = apps.get(app)?.get(host);
        return known !== undefined && lastAtMs - known.toldAtMs >= TELL_EVERY_MS;
      });
      if (due.length === 0) return;
      await relational.withSystemSql(tenant, (sql) => writeHosts(sql, tenant, due));
      for (const { app, host, lastAtMs } of due) {
        const known = apps.get(app)?.get(host);
        if (known) known.toldAtMs = lastAtMs;
      }
    },
    /** What is known of a tenant is read again: after a failure, an erasure, or when hosts were forgotten. */
    drop(tenant: TenantId): void {
      tenants.delete(tenant);
      pages.drop(tenant);
    },
  };
}

export type Known = ReturnType<typeof createKnown>;
