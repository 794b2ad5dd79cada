import type { GroupRow } from './plan-range.ts';
import { type ClassicBuckets, classicQuantile, type ExponentialBuckets, exponentialQuantile, mergeClassic } from './quantile.ts';

/** Of one group and step: its place and the beginning of the step, Unix milliseconds. */
interface Cell {
  g: number;
  t: number;
}

/** Values by group; rows are in order of group and step, what is no number is left out. */
export function collect(values: Iterable<Cell & { value: number }>): GroupRow[] {
  const groups = new Map<number, GroupRow>();
  for (const { g, t, value } of values) {
    if (!Number.isFinite(value)) continue;
    const row = groups.get(g) ?? { g, ts: [], values: [] };
    groups.set(g, row);
    row.ts.push(t);
    row.values.push(value);
  }
  return [...groups.values()];
}

function* classicValues<Row extends Cell & ClassicBuckets>(rows: readonly Row[], phi: number) {
  for (let i = 0; i < rows.length; ) {
    const { g, t } = rows[i] as Row;
    const parts: Row[] = [];
    for (let row = rows[i]; row !== undefined && row.g === g && row.t === t; row = rows[i]) parts.push(rows[i++] as Row);
    yield { g, t, value: classicQuantile(phi, mergeClassic(parts)) };
  }
}

/** One quantile a group and step; several rows of one are histograms with other bounds. */
export const classicRows = (rows: readonly (Cell & ClassicBuckets)[], phi: number): GroupRow[] =>
  collect(classicValues(rows, phi));

export const exponentialRows = (rows: readonly (Cell & ExponentialBuckets)[], phi: number): GroupRow[] =>
  collect(rows.map((row) => ({ g: row.g, t: row.t, value: exponentialQuantile(phi, row) })));
