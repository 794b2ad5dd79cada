import { settingsSql } from '#telemetry';
import type { Place, Sort } from '../domain/cursor.ts';
import type { Condition, SpanCondition } from './filter-sql.ts';

export const NO_PARENT = "unhex('0000000000000000')";

/** What a list is sorted by, as a column and as the text of a cursor. */
export const orderSql = (sort: Sort): { column: string; text: string } =>
  sort === 'time'
    ? { column: 'ts', text: 'toString(toUnixTimestamp64Nano(ts))' }
    : { column: 'duration_ns', text: 'toString(duration_ns)' };

/** The first `{limit:UInt32}` spans of an order; `wholly`: equals among them in the order of their ids. */
export const firstSql = (
  { from, where, settings }: SpanCondition,
  { sort, select, wholly }: { sort: Sort; select: string; wholly: boolean },
): string =>
  `SELECT ${select} FROM ${from} WHERE ${where}
    ORDER BY ${orderSql(sort).column} DESC${wholly ? ', trace_id DESC, span_id DESC' : ''} LIMIT {limit:UInt32} ${settingsSql(settings)}`;

/** What comes after a place, where the first is the largest. */
export function pastSql(sort: Sort, { key, traceId, spanId }: Place, of: 'traces' | 'spans'): Condition {
  const { column } = orderSql(sort);
  const edge = sort === 'time' ? 'fromUnixTimestamp64Nano({pastKey:Int64})' : '{pastKey:UInt64}';
  const inTrace = of === 'traces' ? '' : ' OR (trace_id = unhex({pastTrace:String}) AND span_id < unhex({pastSpan:String}))';
  return {
    where: `(${column} < ${edge} OR (${column} = ${edge} AND (trace_id < unhex({pastTrace:String})${inTrace})))`,
    params: { pastKey: key, pastTrace: traceId, ...(of === 'spans' && { pastSpan: spanId }) },
  };
}
