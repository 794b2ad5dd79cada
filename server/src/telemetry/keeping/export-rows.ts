import { AppError, type TenantId } from '#kernel';
import type { ColumnStore } from '../ports.ts';

/** How the rows of a table are given out: a stretch of time after the other, within it on from the last row of the page before. */
export interface ExportedColumns {
  table: string;
  /** SQL of what is given, with its names. */
  select: string;
  /** What tells rows apart within a stretch, with its type; what is alike in all of it is given once. */
  key: readonly (readonly [sql: string, type: string])[];
  /**
   * The stretch of a row, a UInt32, and which rows are of stretches {first: UInt32} to {last: UInt32}: by the column that partitions are made by.
   * `joins`: several may be read as one, since the key tells their rows apart.
   */
  stretch: { of: string; within: string; joins?: boolean };
  /** SQL that holds for the rows that are given; all of them without it. */
  only?: string;
  /** Of rows with the same key the first in this order; for tables that replace. */
  newest?: string;
  pageRows: number;
}

/**
 * By the minute of a DateTime64 that is in the key; minutes with few rows together. Every page sorts what is left of its stretch, so that long
 * ones would cost the square of their rows.
 */
export const minutesOfTime = (column: string): ExportedColumns['stretch'] => ({
  of: `toUInt32(intDiv(toUnixTimestamp(${column}), 60))`,
  within: `${column} >= toDateTime({first:UInt32} * 60, 'UTC') AND ${column} < toDateTime(({last:UInt32} + 1) * 60, 'UTC')`,
  joins: true,
});

/** By a column that counts hours or minutes since 1970 or names a month, `width` of its numbers at a time. */
export const stretchesOfNumber = (column: string, width = 1): ExportedColumns['stretch'] => ({
  of: `toUInt32(intDiv(${column}, ${width}))`,
  within: `${column} >= {first:UInt32} * ${width} AND ${column} < ({last:UInt32} + 1) * ${width}`,
});

const background = { background: true, timeoutMs: 60_000 } as const;
/** Minutes of almost two years. */
const MAX_STRETCHES = 1_000_000;

interface Stretch {
  stretch: number;
  rows: number;
}

/** Stretches one after the other as one while they have no more rows than `most` together. */
export function* joinStretches(found: Iterable<Stretch>, most: number): Generator<{ first: number; last: number }> {
  let joined: { first: number; last: number; rows: number } | undefined;
  for (const { stretch, rows } of found) {
    if (joined && joined.rows + rows <= most) {
      joined = { first: joined.first, last: stretch, rows: joined.rows + rows };
      continue;
    }
    if (joined) yield { first: joined.first, last: joined.last };
    joined = { first: stretch, last: stretch, rows };
  }
  if (joined) yield { first: joined.first, last: joined.last };
}

const SHRINKS_BY = 4;

/** Rows may be as large as a sender may make them: undefined where so many are more than one answer holds, and fewer may be tried. */
async function readOrShrink<T>(read: () => Promise<T[]>, limit: number): Promise<T[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError && error.code === 'query_limit' && limit > 1) return undefined;
    throw error;
  }
}

/** All rows of one tenant in one table. What comes in meanwhile may or may not be among them. */
export async function* exportColumns(
  store: Pick<ColumnStore, 'read'>,
  tenant: TenantId,
  { table, select, key, stretch, only = '1', newest, pageRows }: ExportedColumns,
): AsyncGenerator<Record<string, unknown>[]> {
  const stretches = `SELECT ${stretch.of} AS stretch, toFloat64(count()) AS rows FROM ${table} WHERE tenant_id = {tenant:String}
    GROUP BY stretch ORDER BY stretch`;
  const names = key.map((_, index) => `key_${index}`);
  const keys = key.map(([sql], index) => `toString(${sql}) AS ${names[index]}`).join(', ');
  const order = key.map(([sql]) => sql).join(', ');
  const behind = `(${order}) > (${key.map(([, type], index) => `{${names[index]}:${type}}`).join(', ')})`;
  const page = (isFirst: boolean, limit: number): string => `SELECT ${select}, ${keys} FROM ${table}
    WHERE tenant_id = {tenant:String} AND ${stretch.within} AND ${only}${isFirst ? '' : ` AND ${behind}`}
    ORDER BY ${order}${newest ? `, ${newest}` : ''} LIMIT 1 BY ${order} LIMIT ${limit}`;
  const found = await store.read<Stretch>(tenant, stretches, {}, { ...background, maxRows: MAX_STRETCHES });
  let limit = pageRows;
  for (const within of joinStretches(found, stretch.joins ? pageRows : 0)) {
    for (let after: Record<string, unknown> | undefined; ; ) {
      const params = { ...within, ...after };
      const rows = await readOrShrink(
        () => store.read<Record<string, unknown>>(tenant, page(after === undefined, limit), params, background),
        limit,
      );
      if (!rows) {
        limit = Math.max(1, Math.floor(limit / SHRINKS_BY));
        continue;
      }
      if (rows.length > 0)
        yield rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))));
      const last = rows[limit - 1];
      if (!last) break;
      after = Object.fromEntries(names.map((name) => [name, last[name]]));
    }
  }
}
