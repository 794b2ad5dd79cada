import type { TenantId } from '#kernel';
import type { ColumnStore } from '../ports.ts';

/** How the rows of a table are given out: a stretch of time after the other, within it on from the last row of the page before. */
export interface ExportedColumns {
  table: string;
  /** SQL of what is given, with its names. */
  select: string;
  /** What tells rows apart within a stretch, with its type; what is alike in all of it is given once. */
  key: readonly (readonly [sql: string, type: string])[];
  /** The stretch of a row, a UInt32, and which rows are of stretch {stretch: UInt32}: by the column that partitions are made by. */
  stretch: { of: string; within: string };
  /** SQL that holds for the rows that are given; all of them without it. */
  only?: string;
  /** Of rows with the same key the first in this order; for tables that replace. */
  newest?: string;
  pageRows: number;
}

/** By the hour of a DateTime64. */
export const hoursOfTime = (column: string): ExportedColumns['stretch'] => ({
  of: `toUInt32(intDiv(toUnixTimestamp(${column}), 3600))`,
  within: `${column} >= toDateTime({stretch:UInt32} * 3600, 'UTC') AND ${column} < toDateTime(({stretch:UInt32} + 1) * 3600, 'UTC')`,
});

/** By a column that counts hours or minutes since 1970 or names a month, `width` of its numbers at a time. */
export const stretchesOfNumber = (column: string, width = 1): ExportedColumns['stretch'] => ({
  of: `toUInt32(intDiv(${column}, ${width}))`,
  within: `${column} >= {stretch:UInt32} * ${width} AND ${column} < ({stretch:UInt32} + 1) * ${width}`,
});

const background = { background: true, timeoutMs: 60_000 } as const;

/** All rows of one tenant in one table. What comes in meanwhile may or may not be among them. */
export async function* exportColumns(
  store: Pick<ColumnStore, 'read'>,
  tenant: TenantId,
  { table, select, key, stretch, only = '1', newest, pageRows }: ExportedColumns,
): AsyncGenerator<Record<string, unknown>[]> {
  const stretches = `SELECT DISTINCT ${stretch.of} AS stretch FROM ${table} WHERE tenant_id = {tenant:String} ORDER BY stretch`;
  const names = key.map((_, index) => `key_${index}`);
  const keys = key.map(([sql], index) => `toString(${sql}) AS ${names[index]}`).join(', ');
  const order = key.map(([sql]) => sql).join(', ');
  const behind = `(${order}) > (${key.map(([, type], index) => `{${names[index]}:${type}}`).join(', ')})`;
  const page = (isFirst: boolean): string => `SELECT ${select}, ${keys} FROM ${table}
    WHERE tenant_id = {tenant:String} AND ${stretch.within} AND ${only}${isFirst ? '' : ` AND ${behind}`}
    ORDER BY ${order}${newest ? `, ${newest}` : ''} LIMIT 1 BY ${order} LIMIT ${pageRows}`;
  for (const { stretch: at } of await store.read<{ stretch: number }>(tenant, stretches, {}, background)) {
    for (let after: Record<string, unknown> | undefined; ; ) {
      const params = { stretch: at, ...after };
      const rows = await store.read<Record<string, unknown>>(tenant, page(after === undefined), params, background);
      if (rows.length > 0)
        yield rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name))));
      const last = rows[pageRows - 1];
      if (!last) break;
      after = Object.fromEntries(names.map((name) => [name, last[name]]));
    }
  }
}
