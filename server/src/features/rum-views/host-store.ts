import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';

export interface HostRow {
  app: string;
  host: string;
  first_at: Date;
  last_at: Date;
}

export const readHosts = async (sql: TenantSql): Promise<HostRow[]> =>
  (await sql.query<HostRow>('SELECT app, host, first_at, last_at FROM rum_hosts ORDER BY app COLLATE "C", host COLLATE "C"'))
    .rows;

export async function writeHosts(
  sql: TenantSql,
  tenant: TenantId,
  hosts: readonly { app: string; host: string; firstAtMs: number; lastAtMs: number }[],
): Promise<void> {
  const rows = [...hosts]
    .sort((a, b) => (`${a.app}\n${a.host}` < `${b.app}\n${b.host}` ? -1 : 1))
    .map(({ app, host, firstAtMs, lastAtMs }) => ({ app, host, first_at: new Date(firstAtMs), last_at: new Date(lastAtMs) }));
  await sql.query(
    `INSERT INTO rum_hosts AS h (tenant_id, app, host, first_at, last_at)
     SELECT $1, r.app, r.host, r.first_at, r.last_at FROM jsonb_to_recordset($2::jsonb) AS r (app text, host text, first_at timestamptz, last_at timestamptz)
     ON CONFLICT (tenant_id, app, host) DO UPDATE SET first_at = least(h.first_at, excluded.first_at), last_at = greatest(h.last_at, excluded.last_at)`,
    [tenant, JSON.stringify(rows)],
  );
}

/** Hosts that nothing came of for as long as views are kept, and what was judged of them. Gives whether any went. */
export async function forgetHosts(sql: TenantSql, before: Date): Promise<boolean> {
  const { rowCount } = await sql.query('DELETE FROM rum_hosts WHERE last_at < $1', [before]);
  await sql.query(
    `DELETE FROM rum_verdicts v WHERE NOT EXISTS (SELECT 1 FROM rum_hosts h WHERE h.tenant_id = v.tenant_id AND h.app = v.app AND h.host = v.host)`,
  );
  // The stretch in which the kept time begins stays.
  await sql.query(
    `DELETE FROM rum_verdict_spans s WHERE s.from_at < $1 AND EXISTS (SELECT 1 FROM rum_verdict_spans n
       WHERE n.tenant_id = s.tenant_id AND n.app = s.app AND n.host = s.host AND n.from_at > s.from_at AND n.from_at <= $1)`,
    [before],
  );
  await sql.query(
    `DELETE FROM rum_verdict_spans s WHERE s.from_at < $1 AND NOT EXISTS (SELECT 1 FROM rum_hosts h
       WHERE h.tenant_id = s.tenant_id AND h.app = s.app AND h.host = s.host)`,
    [before],
  );
  return (rowCount ?? 0) > 0;
}
