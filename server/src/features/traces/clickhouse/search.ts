import {
  type Counted,
  ERRORS,
  type GroupRow,
  LONGEST,
  MAX_KEYS,
  MAX_OPERATIONS,
  MAX_SERVICES,
  MAX_VALUE,
  MAX_VALUES,
  OTHERS,
  type PageQuestion,
  type PointRow,
  type Points,
  SAMPLE,
  type SpanQuestion,
  type SpanRow,
} from '../reader.ts';
import type { Ask } from './ask.ts';
import { type Condition, filterSql } from './filter-sql.ts';
import { firstSql, NO_PARENT, orderSql, pastSql } from './place-sql.ts';

export function readSpans(ask: Ask, { filter, window, sort, past: place, limit }: PageQuestion): Promise<SpanRow[]> {
  const { where, params } = filterSql(filter, window);
  const past = place && pastSql(sort, place, 'spans');
  const select = `${orderSql(sort).text} AS key, lower(hex(trace_id)) AS traceId, lower(hex(span_id)) AS spanId, service, name, kind, status,
      toUnixTimestamp64Milli(ts) AS atMs, duration_ns / 1e6 AS durationMs`;
  return ask<SpanRow>({
    sql: firstSql(sort, { select, where: `${where}${past ? ` AND ${past.where}` : ''}` }, '{limit:UInt32}'),
    params: { ...params, ...past?.params, limit },
  });
}

/** The lowest hashes are a sample that is fair and the same each time it is asked for; of columns that are read anyway. */
const SAMPLED = 'ORDER BY cityHash64(ts, duration_ns)';

export async function readPoints(
  ask: Ask,
  { filter, window, rootsOnly }: SpanQuestion & { rootsOnly: boolean },
): Promise<Points> {
  const { where: all, params } = filterSql(filter, window);
  const where = rootsOnly ? `${all} AND parent_id = ${NO_PARENT}` : all;
  const columns = `lower(hex(trace_id)) AS traceId, lower(hex(span_id)) AS spanId, toUnixTimestamp64Micro(ts) / 1000 AS at,
    duration_ns / 1e6 AS ms, status = 2 AS error, service, name`;
  const part = (more: string, order: string, limit: number): string =>
    `SELECT ${columns} FROM spans WHERE ${where}${more} ${order} LIMIT ${limit}`;
  const [points, [totals]] = await Promise.all([
    ask<PointRow>({
      sql: [
        part(' AND status = 2', SAMPLED, ERRORS),
        part('', 'ORDER BY duration_ns DESC', LONGEST),
        part(' AND status != 2', SAMPLED, OTHERS),
      ]
        .map((sql) => `SELECT * FROM (${sql})`)
        .join(' UNION ALL '),
      params,
    }),
    ask<Points['totals']>({
      sql: `SELECT count() AS total, countIf(status = 2) AS errors, quantiles(0.5, 0.95, 0.99)(duration_ns / 1e6) AS quantiles
        FROM spans WHERE ${where}`,
      params,
    }),
  ]);
  return { points, totals: totals ?? { total: 0, errors: 0, quantiles: [] } };
}

const COUNTS = 'count() AS spans, countIf(status = 2) AS errors, quantile(0.95)(duration_ns) / 1e6 AS p95';

/** Spans are kept in the order of service and operation: to group in that order takes 40 % less CPU than a table of keys. */
const IN_ORDER = 'SETTINGS optimize_aggregation_in_order = 1';

export function readGroups(
  ask: Ask,
  { filter, window, by }: SpanQuestion & { by: 'service' | 'operation' },
): Promise<GroupRow[]> {
  const { where, params } = filterSql(filter, window);
  const sql =
    by === 'service'
      ? `SELECT service, '' AS name, ${COUNTS} FROM spans WHERE ${where}
        GROUP BY service ORDER BY spans DESC, service LIMIT ${MAX_SERVICES} ${IN_ORDER}`
      : `SELECT service, name, ${COUNTS} FROM spans WHERE ${where}
        GROUP BY service, name ORDER BY spans DESC, service, name LIMIT ${MAX_OPERATIONS} ${IN_ORDER}`;
  return ask<GroupRow>({ sql, params });
}

/**
 * The newest spans that match: their times are found first, so that the maps, which are most of what a span weighs, are read of these
 * alone. Spans of the very same instant may make it a few more.
 */
const newestSql = ({ where }: Condition, columns: string): string =>
  `SELECT ${columns} FROM spans WHERE ${where} AND ts >= (
     SELECT min(at) FROM (SELECT ts AS at FROM spans WHERE ${where} ORDER BY ts DESC LIMIT ${SAMPLE})) LIMIT ${2 * SAMPLE}`;

type CountedRow = Counted['rows'][number] & { sampled: number };

const toCounted = (rows: readonly CountedRow[]): Counted => ({
  rows: rows.map(({ text, spans }) => ({ text, spans })),
  sampled: rows[0]?.sampled ?? 0,
});

export async function countKeys(ask: Ask, { filter, window }: SpanQuestion): Promise<Counted> {
  const condition = filterSql(filter, window);
  const rows = await ask<CountedRow>({
    sql: `SELECT key AS text, count() AS spans, any(total) AS sampled FROM (
        SELECT arrayJoin(arrayDistinct(arrayConcat(mapKeys(attributes), mapKeys(resource)))) AS key, total
        FROM (SELECT attributes, resource, count() OVER () AS total FROM (${newestSql(condition, 'attributes, resource')})))
      WHERE key NOT IN ('service.name', 'svc.tenant.id') GROUP BY key ORDER BY spans DESC, key LIMIT ${MAX_KEYS}`,
    params: condition.params,
  });
  return toCounted(rows);
}

export async function countValues(ask: Ask, { filter, window, key }: SpanQuestion & { key: string }): Promise<Counted> {
  const condition = filterSql(filter, window);
  const found = 'if(mapContains(attributes, {key:String}), attributes[{key:String}], toString(resource[{key:String}]))';
  const rows = await ask<CountedRow>({
    sql: `SELECT value AS text, count() AS spans, any(total) AS sampled FROM (
        SELECT value, count() OVER () AS total FROM (${newestSql(condition, `${found} AS value`)}))
      WHERE value != '' AND length(value) <= ${MAX_VALUE} GROUP BY value ORDER BY spans DESC, value LIMIT ${MAX_VALUES}`,
    params: { ...condition.params, key },
  });
  return toCounted(rows);
}
