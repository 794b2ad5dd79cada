import type { RootCause } from '@svc/contracts/causes/root-cause';
import type { TenantSql } from '#relational';

/** Versions that are kept of one incident, the newest. */
const MAX_VERSIONS = 20;

export type Body = Omit<RootCause, 'incident_id' | 'version' | 'made_at'>;

interface Row {
  version: number;
  made_at: Date;
  body: Body;
}

const toRootCause = (incidentId: string, { version, made_at, body }: Row): RootCause => ({
  incident_id: incidentId,
  version,
  made_at: made_at.toISOString(),
  ...body,
});

/** The newest explanation; undefined where there is none yet. */
export async function readNewest(sql: TenantSql, incidentId: string): Promise<RootCause | undefined> {
  const text = 'SELECT version, made_at, body FROM incident_causes WHERE incident_id = $1 ORDER BY version DESC LIMIT 1';
  const [row] = (await sql.query<Row>(text, [incidentId])).rows;
  return row && toRootCause(incidentId, row);
}

/** One that is still kept. */
export async function readVersion(sql: TenantSql, incidentId: string, version: number): Promise<RootCause | undefined> {
  const text = 'SELECT version, made_at, body FROM incident_causes WHERE incident_id = $1 AND version = $2';
  const [row] = (await sql.query<Row>(text, [incidentId, version])).rows;
  return row && toRootCause(incidentId, row);
}

/** What the explanation says, without when it was made and how far it looked. */
const contentOf = ({ from: _from, to: _to, ...content }: Body): string => JSON.stringify(sortKeys(content));

/** JSON that came from the database has its keys in another order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sortKeys(one)]),
  );
}

const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('causes/' || current_setting('app.tenant_id') || $1, 0))";

/** Keeps an explanation: as a new version where it says something else than the newest, whose time it moves on otherwise. */
export async function keepExplanation(
  sql: TenantSql,
  incidentId: string,
  { body, madeAt }: { body: Body; madeAt: Date },
): Promise<RootCause> {
  await sql.query(LOCK, [incidentId]);
  const newest = await readNewest(sql, incidentId);
  const isSame = newest !== undefined && contentOf(bodyOf(newest)) === contentOf(body);
  const version = isSame ? newest.version : (newest?.version ?? 0) + 1;
  await sql.query(
    `INSERT INTO incident_causes (tenant_id, incident_id, version, made_at, body) VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4)
     ON CONFLICT (tenant_id, incident_id, version) DO UPDATE SET made_at = excluded.made_at, body = excluded.body`,
    [incidentId, version, madeAt, JSON.stringify(body)],
  );
  await sql.query('DELETE FROM incident_causes WHERE incident_id = $1 AND version <= $2', [incidentId, version - MAX_VERSIONS]);
  return toRootCause(incidentId, { version, made_at: madeAt, body });
}

const bodyOf = ({ incident_id: _id, version: _version, made_at: _at, ...body }: RootCause): Body => body;

/** Asks for explanations of incidents; in the transaction that changes them. */
export async function requestExplanations(sql: TenantSql, incidentIds: readonly string[], at: Date): Promise<void> {
  await sql.query(
    `INSERT INTO incident_cause_requests (tenant_id, incident_id, requested_at)
     SELECT current_setting('app.tenant_id'), i, $2 FROM unnest($1::uuid[]) AS i
     ON CONFLICT (tenant_id, incident_id) DO UPDATE SET requested_at = excluded.requested_at`,
    [[...new Set(incidentIds)], at],
  );
}

export interface Requested {
  incident_id: string;
  requested_at: Date;
}

/** Those that wait longest. */
export async function readRequests(sql: TenantSql, limit: number): Promise<Requested[]> {
  const text = 'SELECT incident_id, requested_at FROM incident_cause_requests ORDER BY requested_at, incident_id LIMIT $1';
  return (await sql.query<Requested>(text, [limit])).rows;
}

export async function findRequest(sql: TenantSql, incidentId: string): Promise<Date | undefined> {
  const text = 'SELECT incident_id, requested_at FROM incident_cause_requests WHERE incident_id = $1';
  return (await sql.query<Requested>(text, [incidentId])).rows[0]?.requested_at;
}

/** Lets the others go first. */
export async function postponeRequest(sql: TenantSql, incidentId: string, at: Date): Promise<void> {
  await sql.query('UPDATE incident_cause_requests SET requested_at = $2 WHERE incident_id = $1 AND requested_at < $2', [
    incidentId,
    at,
  ]);
}

/** One that came meanwhile stays. */
export async function settleRequest(sql: TenantSql, { incident_id: id, requested_at: at }: Requested): Promise<void> {
  await sql.query('DELETE FROM incident_cause_requests WHERE incident_id = $1 AND requested_at <= $2', [id, at]);
}
