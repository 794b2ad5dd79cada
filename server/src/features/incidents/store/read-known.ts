import type { Anchor } from '#kernel';
import type { TenantSql } from '#relational';
import { INCIDENT_COLUMNS, type IncidentRow, SIGNAL_COLUMNS, type SignalRow } from './rows.ts';

export const episodeKey = ({ kind, dedup_key: key }: { kind: string; dedup_key: string }): string => `${kind} ${key}`;

/** The newest episode of each failing that was ever raised, by its key. */
export async function readNewestEpisodes(
  sql: TenantSql,
  keys: readonly { kind: string; dedup_key: string }[],
): Promise<Map<string, SignalRow>> {
  const { rows } = await sql.query<SignalRow>(
    `SELECT s.* FROM unnest($1::text[], $2::text[]) AS k (kind, key) CROSS JOIN LATERAL (
       SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE s.kind = k.kind AND s.dedup_key = k.key ORDER BY s.occurred_at DESC LIMIT 1) s`,
    [keys.map(({ kind }) => kind), keys.map(({ dedup_key: key }) => key)],
  );
  return new Map(rows.map((row) => [episodeKey(row), row]));
}

export async function readIncidents(sql: TenantSql, ids: readonly string[]): Promise<IncidentRow[]> {
  if (ids.length === 0) return [];
  const text = `SELECT ${INCIDENT_COLUMNS} FROM incidents i WHERE i.id = ANY ($1::uuid[])`;
  return (await sql.query<IncidentRow>(text, [ids])).rows;
}

/** Ids of incidents that a signal with one of these anchors may belong to: not resolved, or lately. */
export async function findNear(sql: TenantSql, anchors: readonly Anchor[], resolvedSince: Date): Promise<string[]> {
  const valuesOf = (kind: Anchor['kind']): string[] => [
    ...new Set(anchors.filter((one) => one.kind === kind).map(({ value }) => value)),
  ];
  const [names, addresses, prefixes] = [valuesOf('name'), valuesOf('address'), valuesOf('prefix')];
  const { rows } = await sql.query<{ id: string }>(
    `SELECT i.id FROM incidents i WHERE i.merged_into IS NULL AND (i.status <> 'resolved' OR i.resolved_at >= $4)
       AND i.id IN (SELECT a.incident_id FROM incident_anchors a WHERE a.kind = 'name' AND a.value = ANY ($1)
         UNION SELECT a.incident_id FROM incident_anchors a WHERE a.kind = 'address' AND (a.value = ANY ($2) OR $3)
         UNION SELECT a.incident_id FROM incident_anchors a WHERE a.kind = 'prefix' AND ($3 OR cardinality($2) > 0))`,
    [names, addresses, prefixes.length > 0, resolvedSince],
  );
  return rows.map(({ id }) => id);
}

export async function readAnchors(sql: TenantSql, incidents: readonly string[]): Promise<Map<string, Anchor[]>> {
  const found = new Map<string, Anchor[]>(incidents.map((id) => [id, []]));
  if (incidents.length === 0) return found;
  const { rows } = await sql.query<Omit<Anchor, 'isOwn'> & { incident_id: string; is_own: boolean }>(
    'SELECT incident_id, kind, value, port, is_own, site FROM incident_anchors WHERE incident_id = ANY ($1::uuid[])',
    [incidents],
  );
  for (const { incident_id: id, is_own: isOwn, ...anchor } of rows) found.get(id)?.push({ ...anchor, isOwn });
  return found;
}
