import type { RejectReason } from '@svc/contracts/rum/kinds';
import type { TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

/** `script`: a page of one of the app's hosts fetched the script. */
export type CountedWord = 'accepted' | 'script' | RejectReason;

export interface Counted {
  app: string;
  word: CountedWord;
  /** '' where it is at none. */
  field: string;
  count: number;
  firstAtMs: number;
  lastAtMs: number;
}

const KEPT_DAYS = 31;
/** Fields that a day keeps apart, of one app: the sender chooses their names. */
const FIELDS_A_DAY = 20;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Whoever counts for a tenant holds this until the transaction ends: replicas that write at once do not wait for each other in a circle. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('rum-counts/' || current_setting('app.tenant_id'), 0))";

const ROWS =
  'jsonb_to_recordset($2::jsonb) AS r (app text, word text, day date, count bigint, first_at timestamptz, last_at timestamptz)';
const TOTALS = 'sum(r.count)::bigint, min(r.first_at), max(r.last_at)';
const ADD_TO = (of: string): string => `DO UPDATE SET count = ${of}.count + excluded.count,
  first_at = least(${of}.first_at, excluded.first_at), last_at = greatest(${of}.last_at, excluded.last_at)`;

const ADD_COUNTERS = `INSERT INTO rum_counters AS c (tenant_id, app, word, count, first_at, last_at)
  SELECT $1, r.app, r.word, ${TOTALS} FROM ${ROWS} GROUP BY r.app, r.word ON CONFLICT (tenant_id, app, word) ${ADD_TO('c')}`;
const ADD_DAYS = `INSERT INTO rum_days AS d (tenant_id, day, app, word, field, count, first_at, last_at)
  SELECT $1, r.day, r.app, r.word, '', ${TOTALS} FROM ${ROWS} GROUP BY r.day, r.app, r.word ON CONFLICT (tenant_id, day, app, word, field) ${ADD_TO('d')}`;
// The first of a field is told apart only while there is room.
const ADD_FIELD = `INSERT INTO rum_days AS d (tenant_id, day, app, word, field, count, first_at, last_at)
  SELECT $1, $2::date, $3, $4, CASE WHEN EXISTS (SELECT 1 FROM rum_days k WHERE k.day = $2::date AND k.app = $3 AND k.word = $4 AND k.field = $5)
      OR (SELECT count(*) FROM rum_days k WHERE k.day = $2::date AND k.app = $3 AND k.word = $4) < ${FIELDS_A_DAY} THEN $5 ELSE '' END, $6, $7, $8
  ON CONFLICT (tenant_id, day, app, word, field) ${ADD_TO('d')}`;

const rowOf = ({ app, word, count, firstAtMs, lastAtMs }: Counted) => ({
  ...{ app, word, day: dayOf(lastAtMs), count },
  ...{ first_at: new Date(firstAtMs), last_at: new Date(lastAtMs) },
});

/**
 * Adds what was counted to a tenant's rows, in the caller's transaction; days are UTC and kept for 31. All of it in three statements, but for the
 * few rows whose field is told: a tenant with a thousand apps holds up the counting of nobody else.
 */
export async function writeCounted(sql: TenantSql, tenant: TenantId, counted: readonly Counted[]): Promise<void> {
  await sql.query(LOCK);
  await sql.query(ADD_COUNTERS, [tenant, JSON.stringify(counted.map(rowOf))]);
  const plain = counted.filter(({ field }) => field === '');
  if (plain.length > 0) await sql.query(ADD_DAYS, [tenant, JSON.stringify(plain.map(rowOf))]);
  for (const one of counted.filter(({ field }) => field !== '')) {
    const { app, word, day, count, first_at: first, last_at: last } = rowOf(one);
    await sql.query(ADD_FIELD, [tenant, day, app, word, one.field, count, first, last]);
  }
  await sql.query(`DELETE FROM rum_days WHERE day < current_date - ${KEPT_DAYS}`);
}

/**
 * What a former app of this name had, before another one begins: it stays the tenant's, and is of no app any more. At which fields its beacons
 * were refused goes: senders choose their names, and each app could bring others.
 */
export async function disownCounts(sql: TenantSql, tenant: TenantId, app: string): Promise<void> {
  await sql.query(LOCK);
  await sql.query(
    `WITH former AS (DELETE FROM rum_counters WHERE app = $2 RETURNING word, count, first_at, last_at)
     INSERT INTO rum_counters AS c (tenant_id, app, word, count, first_at, last_at) SELECT $1, '', word, count, first_at, last_at FROM former
     ON CONFLICT (tenant_id, app, word) ${ADD_TO('c')}`,
    [tenant, app],
  );
  await sql.query(
    `WITH former AS (DELETE FROM rum_days WHERE app = $2 RETURNING day, word, count, first_at, last_at)
     INSERT INTO rum_days AS d (tenant_id, day, app, word, field, count, first_at, last_at)
       SELECT $1, day, '', word, '', sum(count)::bigint, min(first_at), max(last_at) FROM former GROUP BY day, word
     ON CONFLICT (tenant_id, day, app, word, field) ${ADD_TO('d')}`,
    [tenant, app],
  );
}

export const addUnknown = async (relational: Relational, { at, count }: { at: Date; count: number }): Promise<void> =>
  void (await relational.directory('add_rum_unknown', [at, count]));

export async function readUnknown(relational: Relational, from: Date): Promise<number> {
  const rows = await relational.directory<{ count: string }>('rum_unknown', [dayOf(from.getTime())]);
  return Number(rows[0]?.count ?? 0);
}

export interface CounterRow {
  app: string;
  word: CountedWord;
  count: number;
  first_at: Date;
  last_at: Date;
}

/** Since the counting began; of some apps, or of all. */
export async function readCounters(sql: TenantSql, apps?: readonly string[]): Promise<CounterRow[]> {
  const { rows } = await sql.query<CounterRow>(
    `SELECT app, word, count::float8 AS count, first_at, last_at FROM rum_counters WHERE $1::text[] IS NULL OR app = ANY ($1)`,
    [apps ?? null],
  );
  return rows;
}

export interface DayRow extends CounterRow {
  field: string;
}

/** Refusals from a day on, by app, reason and field. */
export async function readRefusals(sql: TenantSql, from: Date): Promise<DayRow[]> {
  const { rows } = await sql.query<DayRow>(
    `SELECT app, word, field, sum(count)::float8 AS count, min(first_at) AS first_at, max(last_at) AS last_at FROM rum_days
     WHERE day >= $1::date AND word NOT IN ('script') GROUP BY app, word, field ORDER BY sum(count) DESC, app, word, field`,
    [dayOf(from.getTime())],
  );
  return rows;
}

/** The latest refusal of each of some apps. */
export async function readLastRefusals(sql: TenantSql, apps: readonly string[]): Promise<Omit<DayRow, 'count' | 'first_at'>[]> {
  const { rows } = await sql.query<Omit<DayRow, 'count' | 'first_at'>>(
    `SELECT DISTINCT ON (app) app, word, field, last_at FROM rum_days
     WHERE app = ANY ($1) AND word NOT IN ('accepted', 'script') ORDER BY app, last_at DESC, word, field`,
    [apps],
  );
  return rows;
}
