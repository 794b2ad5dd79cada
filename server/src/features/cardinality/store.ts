import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';

/** What is bounded for each tenant and day. */
export const KINDS = ['metric_series', 'targets', 'service_map'] as const;
export type Kind = (typeof KINDS)[number];

/** What is beyond the bound most, as far as a sample shows. */
export interface Detail {
  metrics: { name: string; points: number }[];
  label: { name: string; values: number } | null;
}

/** What became of one kind in one day and is not written yet. */
export interface Note {
  kind: Kind;
  /** Since 1970. */
  day: number;
  bound: number;
  /** New in the day so far; undefined where nobody counted. */
  admitted?: number | undefined;
  folded: number;
  leftOut: number;
  detail?: Detail | undefined;
}

export interface TimedNote extends Note {
  firstAtMs: number;
  lastAtMs: number;
}

const KEPT_DAYS = 31;
const DAY_MS = 86_400_000;
const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** Adds what was noted to a tenant's rows, in the caller's transaction. */
export async function writeNotes(sql: TenantSql, tenant: TenantId, notes: Iterable<TimedNote>): Promise<void> {
  for (const { kind, day, bound, admitted = 0, folded, leftOut, detail, firstAtMs, lastAtMs } of notes) {
    const [first, last] = folded + leftOut > 0 ? [new Date(firstAtMs), new Date(lastAtMs)] : [null, null];
    await sql.query(
      `INSERT INTO cardinality_days AS d (tenant_id, day, kind, bound, admitted, folded, left_out, first_at, last_at, detail)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (tenant_id, day, kind) DO UPDATE SET bound = excluded.bound, admitted = greatest(d.admitted, excluded.admitted),
         folded = d.folded + excluded.folded, left_out = d.left_out + excluded.left_out,
         first_at = least(d.first_at, excluded.first_at), last_at = greatest(d.last_at, excluded.last_at),
         detail = coalesce(excluded.detail, d.detail)`,
      [tenant, dateOf(day), kind, bound, admitted, folded, leftOut, first, last, detail ? JSON.stringify(detail) : null],
    );
  }
  await sql.query(`DELETE FROM cardinality_days WHERE day < current_date - ${KEPT_DAYS}`);
}

/** What was admitted of a kind, by day since 1970, of the last days. */
export async function readAdmitted(sql: TenantSql, kind: Kind): Promise<Map<number, number>> {
  const { rows } = await sql.query<{ day: number; admitted: string }>(
    `SELECT (day - date '1970-01-01') AS day, admitted FROM cardinality_days WHERE kind = $1 AND day >= current_date - 2`,
    [kind],
  );
  return new Map(rows.map(({ day, admitted }) => [day, Number(admitted)]));
}

export interface OverflowRow {
  day: string;
  kind: Kind;
  bound: string;
  admitted: string;
  folded: string;
  left_out: string;
  first_at: Date;
  last_at: Date;
  detail: Detail | null;
}

/** Days and kinds of which something was beyond the bound, the newest first. */
export async function readOverflows(sql: TenantSql, days: number): Promise<OverflowRow[]> {
  const { rows } = await sql.query<OverflowRow>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, kind, bound, admitted, folded, left_out, first_at, last_at, detail
     FROM cardinality_days WHERE first_at IS NOT NULL AND day > current_date - $1::int ORDER BY day DESC, kind`,
    [days],
  );
  return rows;
}
