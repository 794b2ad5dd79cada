import { uuidv7 } from 'uuidv7';
import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import { disownCounts } from './counter-store.ts';

export interface AppRow {
  id: string;
  name: string;
  hosts: string[];
  rate_per_min: number | null;
  configured: boolean;
  created_by: string;
  created_at: Date;
}

export interface KeyRow {
  key: string;
  app_id: string;
  configured: boolean;
  created_at: Date;
  retires_at: Date | null;
}

/** What a person who has never been one stands for as the author of a configured app. */
export const CONFIGURATION = 'configuration';
/** A key that was retired for longer is nobody's any more. */
const RETIRED_KEPT_DAYS = 400;
/** Of a tenant: every process holds each key, whoever it is refused to. */
export const RETIRED_KEPT = 1000;

/** Gives an app of the configuration its row and its key, once for all replicas. */
export async function keepConfiguredApp(
  sql: TenantSql,
  tenant: TenantId,
  { key, app, now }: { key: string; app: string; now: Date },
): Promise<void> {
  const { rowCount } = await sql.query('SELECT 1 FROM rum_apps WHERE name = $1', [app]);
  if (rowCount === 0) await disownCounts(sql, tenant, app);
  const { rows } = await sql.query<{ id: string }>(
    `INSERT INTO rum_apps AS a (tenant_id, id, name, hosts, configured, created_by, created_at) VALUES ($1, $2, $3, '{}', true, $4, $5)
     ON CONFLICT (tenant_id, name) DO UPDATE SET configured = true RETURNING a.id`,
    [tenant, uuidv7(), app, CONFIGURATION, now],
  );
  await sql.query(
    `INSERT INTO rum_keys AS k (tenant_id, key, app_id, configured, created_at) VALUES ($1, $2, $3, true, $4)
     ON CONFLICT (tenant_id, key) DO UPDATE SET app_id = excluded.app_id, configured = true, retires_at = NULL
     WHERE k.app_id <> excluded.app_id OR NOT k.configured OR k.retires_at IS NOT NULL`,
    [tenant, key, rows[0]?.id, now],
  );
}

const APP_COLUMNS = 'id, name, hosts, rate_per_min, configured, created_by, created_at';

/** By name. */
export const listApps = async (sql: TenantSql, page: { after: string; limit: number }): Promise<AppRow[]> =>
  (
    await sql.query<AppRow>(
      `SELECT ${APP_COLUMNS} FROM rum_apps WHERE name > $1 COLLATE "C" ORDER BY name COLLATE "C" LIMIT $2`,
      [page.after, page.limit],
    )
  ).rows;

export const findApp = async (sql: TenantSql, id: string): Promise<AppRow | undefined> =>
  (await sql.query<AppRow>(`SELECT ${APP_COLUMNS} FROM rum_apps WHERE id = $1`, [id])).rows[0];

/** Those of some apps that are not refused yet; the current one of each first. */
export const listKeys = async (sql: TenantSql, appIds: readonly string[], now: Date): Promise<KeyRow[]> =>
  (
    await sql.query<KeyRow>(
      `SELECT key, app_id, configured, created_at, retires_at FROM rum_keys
       WHERE app_id = ANY ($1::uuid[]) AND (retires_at IS NULL OR retires_at > $2) ORDER BY app_id, retires_at DESC NULLS FIRST, created_at DESC`,
      [appIds, now],
    )
  ).rows;

/** Whoever counts apps or keys of a tenant takes turns until its transaction ends: else each of several at once has room for one more. */
export const lockApps = async (sql: TenantSql): Promise<void> =>
  void (await sql.query("SELECT pg_advisory_xact_lock(hashtextextended('rum-apps/' || current_setting('app.tenant_id'), 0))"));

export async function countApps(sql: TenantSql): Promise<number> {
  const { rows } = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM rum_apps');
  return rows[0]?.n ?? 0;
}

export async function insertApp(sql: TenantSql, tenant: TenantId, app: AppRow): Promise<void> {
  await sql.query(
    `INSERT INTO rum_apps (tenant_id, id, name, hosts, rate_per_min, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [tenant, app.id, app.name, app.hosts, app.rate_per_min, app.created_by, app.created_at],
  );
  await disownCounts(sql, tenant, app.name);
}

export const updateApp = async (
  sql: TenantSql,
  { id, hosts, rate_per_min }: Pick<AppRow, 'id' | 'hosts' | 'rate_per_min'>,
): Promise<void> =>
  void (await sql.query('UPDATE rum_apps SET hosts = $2, rate_per_min = $3 WHERE id = $1', [id, hosts, rate_per_min]));

export const insertKey = async (
  sql: TenantSql,
  tenant: TenantId,
  { key, appId, now }: { key: string; appId: string; now: Date },
): Promise<void> =>
  void (await sql.query('INSERT INTO rum_keys (tenant_id, key, app_id, created_at) VALUES ($1, $2, $3, $4)', [
    tenant,
    key,
    appId,
    now,
  ]));

/** Keys of the console that ended long ago, or before many others, are nobody's any more. */
async function forgetRetired(sql: TenantSql, now: Date): Promise<void> {
  await sql.query(
    `DELETE FROM rum_keys WHERE NOT configured AND (retires_at < $1::timestamptz - interval '${RETIRED_KEPT_DAYS} days'
       OR key IN (SELECT key FROM rum_keys WHERE NOT configured AND retires_at <= $1 ORDER BY retires_at DESC, created_at DESC OFFSET ${RETIRED_KEPT}))`,
    [now],
  );
}

/** Those of the console; a key that ends sooner already keeps its end. */
export async function retireKeys(sql: TenantSql, { appId, at, now }: { appId: string; at: Date; now: Date }): Promise<void> {
  await sql.query(
    'UPDATE rum_keys SET retires_at = $2 WHERE app_id = $1 AND NOT configured AND (retires_at IS NULL OR retires_at > $2)',
    [appId, at],
  );
  await forgetRetired(sql, now);
}

/** Its keys stay, retired, so that what still comes with them is known to be its former. */
export async function deleteApp(sql: TenantSql, id: string, now: Date): Promise<void> {
  await sql.query('UPDATE rum_keys SET retires_at = least(retires_at, $2) WHERE app_id = $1', [id, now]);
  await sql.query('DELETE FROM rum_apps WHERE id = $1', [id]);
  await forgetRetired(sql, now);
}
