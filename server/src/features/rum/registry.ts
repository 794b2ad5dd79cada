import type { FastifyBaseLogger } from 'fastify';
import { type Clock, parseTenantId, type TenantId } from '#kernel';
import { findTenant, followRows, type Relational } from '#relational';
import { keepConfiguredApp } from './app-store.ts';
import type { ConfiguredApp } from './config.ts';
import { createTokenBucket, type TokenBucket } from './domain/token-bucket.ts';

/** The triggers of 0095_rum_apps send it at commit; its payload says nothing. */
const CHANNEL = 'svc_rum_keys';
/** A tenant that is erased loses its keys at once. */
const ERASURES = 'svc_tenant_erasures';

/** One key as the ingest knows it. */
export interface KnownKey {
  key: string;
  tenant: TenantId;
  appId: string;
  /** Undefined: the app is gone, and the key was its. */
  app: string | undefined;
  hosts: readonly string[];
  /** Null: what the installation has. */
  ratePerMin: number | null;
  retiresAtMs: number | undefined;
  bucket: TokenBucket;
}

interface DirectoryRow {
  key: string;
  tenant_id: string;
  app_id: string;
  configured: boolean;
  retires_at: Date | null;
  name: string | null;
  hosts: string[] | null;
  rate_per_min: number | null;
}

export interface RegistryDeps {
  relational: Relational;
  configured: readonly ConfiguredApp[];
  ensureTenant: (tenant: TenantId) => Promise<void>;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Those that count before those that do not, so that a key which moved to another tenant is the new one's. */
function toKeys(
  rows: readonly DirectoryRow[],
  own: ReadonlySet<string>,
  before: ReadonlyMap<string, KnownKey>,
): Map<string, KnownKey> {
  const keys = new Map<string, KnownKey>();
  const isOwn = ({ key, tenant_id: tenant, configured }: DirectoryRow): boolean => !configured || own.has(`${key}/${tenant}`);
  for (const row of rows) {
    const known = keys.get(row.key);
    if (known && !isOwn(row)) continue;
    keys.set(row.key, {
      ...{ key: row.key, tenant: parseTenantId(row.tenant_id), appId: row.app_id, app: row.name ?? undefined },
      ...{ hosts: row.hosts ?? [], ratePerMin: row.rate_per_min },
      retiresAtMs: isOwn(row) ? row.retires_at?.getTime() : 0,
      // What a key has spent outlives a change of its app.
      bucket: before.get(row.key)?.bucket ?? createTokenBucket(),
    });
  }
  return keys;
}

/** An app by a host that its list names. */
type Served = Pick<KnownKey, 'tenant'> & { app: string };

/** Apps by the hosts and the patterns of their lists; those that are refused for good are left out. */
function indexHosts(keys: Iterable<KnownKey>): Map<string, Served[]> {
  const served = new Map<string, Served[]>();
  for (const { tenant, app, hosts, retiresAtMs } of keys) {
    // An app whose former keys overlap has its current one too.
    if (app === undefined || retiresAtMs !== undefined) continue;
    for (const host of hosts) {
      const known = served.get(host);
      if (known) known.push({ tenant, app });
      else served.set(host, [{ tenant, app }]);
    }
  }
  return served;
}

/** The host itself, and the patterns that it fits: `*.b.c` and `*.c` of `a.b.c`. */
const patternsOf = (host: string): string[] => {
  const labels = host.split('.');
  return [host, ...labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join('.')}`)];
};

/** The keys that this process knows, read again whenever one changes on any replica. */
export function createKeyRegistry({ relational, configured, ensureTenant, clock, log }: RegistryDeps) {
  const own = new Set(configured.map(({ key, tenant }) => `${key}/${tenant}`));
  let keys: ReadonlyMap<string, KnownKey> = new Map();
  let served: ReadonlyMap<string, readonly Served[]> = new Map();
  /** Asked at every beacon, so that no walk over all keys stands behind it. */
  let liveUntilMs = Number.NEGATIVE_INFINITY;

  const load = async (): Promise<void> => {
    keys = toKeys(await relational.directory<DirectoryRow>('rum_keys'), own, keys);
    served = indexHosts(keys.values());
    liveUntilMs = Number.NEGATIVE_INFINITY;
    for (const { app, retiresAtMs = Number.POSITIVE_INFINITY } of keys.values())
      if (app !== undefined) liveUntilMs = Math.max(liveUntilMs, retiresAtMs);
  };

  const rows = followRows({ relational, channels: [CHANNEL, ERASURES], load, what: 'the keys of apps', log });

  const isLive = ({ app, retiresAtMs }: KnownKey): boolean =>
    app !== undefined && (retiresAtMs === undefined || retiresAtMs > clock.now());

  return {
    refresh: rows.refresh,
    /** A key that was ever one here. */
    find: (key: string): KnownKey | undefined => keys.get(key),
    /** Whether beacons with it are taken. */
    isLive,
    hasLive: (): boolean => liveUntilMs > clock.now(),
    /** Whether the configuration of this process names it. */
    isConfigured: (tenant: TenantId, key: string): boolean => own.has(`${key}/${tenant}`),
    /** Apps of all tenants whose list names the host. */
    appsAt: (host: string): readonly Served[] => patternsOf(host).flatMap((pattern) => served.get(pattern) ?? []),
    /** Gives the apps of the configuration their rows, reads all, and follows changes. */
    async start(): Promise<void> {
      for (const { key, tenant, app } of configured) {
        await ensureTenant(tenant);
        // The configuration outlives the tenant: a start must not fail on it, nor bring the tenant back.
        if (!(await findTenant(relational, tenant))) {
          log.warn({ tenant }, 'SVC_RUM_APPS names a tenant that was erased: its key is refused; remove it');
          continue;
        }
        const now = new Date(clock.now());
        await relational.withSystemSql(tenant, (sql) => keepConfiguredApp(sql, tenant, { key, app, now }));
      }
      await rows.start();
    },
    close: rows.close,
  };
}

export type KeyRegistry = ReturnType<typeof createKeyRegistry>;
