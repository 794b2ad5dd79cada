import { settingsSql, stretchesOf } from '#telemetry';
import {
  type Counted,
  type GroupQuestion,
  type GroupRow,
  type Groups,
  MAX_KEYS,
  MAX_OPERATIONS,
  MAX_SERVICES,
  MAX_VALUE,
  MAX_VALUES,
  type PageQuestion,
  SAMPLE,
  type SpanQuestion,
  type SpanRow,
} from '../reader.ts';
import type { Ask } from './ask.ts';
import { filterSql, readsMaps, type SpanCondition } from './filter-sql.ts';
import { orderSql } from './place-sql.ts';
import { readFirst } from './read-first.ts';

const SPAN = (sort: PageQuestion['sort']): string => `${orderSql(sort).text} AS key, lower(hex(trace_id)) AS traceId,
  lower(hex(span_id)) AS spanId, service, name, kind, status, toUnixTimestamp64Milli(ts) AS atMs, duration_ns / 1e6 AS durationMs`;

export const readSpans = (ask: Ask, question: PageQuestion): Promise<SpanRow[]> =>
  readFirst(ask, SPAN(question.sort), { ...question, of: 'spans' });

interface ServiceRow extends Omit<GroupRow, 'name'> {
  operations: [name: string, spans: number, errors: number, p95: number][];
}

/**
 * Services are put together of their operations, so that spans are read once. They are kept in the order of both: to group in that
 * order takes less than a table of keys.
 */
const GROUPS = ({
  from,
  where,
}: SpanCondition): string => `SELECT service, sum(n) AS spans, sum(failed) AS errors, quantileMerge(0.95)(times) / 1e6 AS p95,
    empty({services:Array(String)}) OR service IN {services:Array(String)} AS chosen,
    if(chosen, arraySlice(arraySort(o -> (-toInt64(o.2), o.1), groupArray((toString(name), n, failed, within))), 1, ${MAX_OPERATIONS}), [])
      AS operations
  FROM (SELECT service, name, count() AS n, countIf(status = 2) AS failed, quantileState(0.95)(duration_ns) AS times,
      finalizeAggregation(times) / 1e6 AS within
    FROM ${from} WHERE ${where} GROUP BY service, name)
  GROUP BY service ORDER BY chosen DESC, spans DESC, service LIMIT ${MAX_SERVICES} SETTINGS optimize_aggregation_in_order = 1`;

const mostFirst = (a: GroupRow, b: GroupRow): number => b.spans - a.spans;

export async function readGroups(ask: Ask, { filter, window, services }: GroupQuestion): Promise<Groups> {
  const condition = filterSql(filter, window);
  const rows = await ask<ServiceRow>({ sql: GROUPS(condition), params: { ...condition.params, services } });
  const operations = rows.flatMap((row) =>
    row.operations.map(([name, spans, errors, p95]) => ({ service: row.service, name, spans, errors, p95 })),
  );
  return {
    services: rows.map(({ service, spans, errors, p95 }) => ({ service, name: '', spans, errors, p95 })).sort(mostFirst),
    operations: operations.sort(mostFirst).slice(0, MAX_OPERATIONS),
  };
}

const NS_PER_MS = 1_000_000n;

/**
 * The newest spans that match, as a condition: their times are found first, stretch by stretch, so that the maps, which are most of what a
 * span weighs, are read of these alone. Spans of the very same instant may make it a few more. Undefined where none matches.
 */
async function findNewest(ask: Ask, { filter, window }: SpanQuestion): Promise<SpanCondition | undefined> {
  let since: string | undefined;
  let missing = SAMPLE;
  // What the other questions of a page ask of maps is remembered of the same window only.
  for (const stretch of readsMaps(filter) ? [window] : stretchesOf(window)) {
    const { from, where, settings, params } = filterSql(filter, stretch);
    const [found] = await ask<{ n: number; since: string }>({
      sql: `SELECT count() AS n, toString(toUnixTimestamp64Nano(min(at))) AS since
        FROM (SELECT ts AS at FROM ${from} WHERE ${where} ORDER BY ts DESC LIMIT {missing:UInt32}) ${settingsSql(settings)}`,
      params: { ...params, missing },
    });
    if (!found || found.n === 0) continue;
    since = found.since;
    missing -= found.n;
    if (missing <= 0) break;
  }
  if (since === undefined) return undefined;
  const { where, params, ...rest } = filterSql(filter, { ...window, fromMs: Number(BigInt(since) / NS_PER_MS) });
  return { ...rest, where: `${where} AND ts >= fromUnixTimestamp64Nano({since:Int64})`, params: { ...params, since } };
}

const newestSql = ({ from, where }: SpanCondition, columns: string): string =>
  `SELECT ${columns} FROM ${from} WHERE ${where} LIMIT ${2 * SAMPLE}`;

const NOTHING: Counted = { rows: [], sampled: 0 };

type CountedRow = Counted['rows'][number] & { sampled: number };

const toCounted = (rows: readonly CountedRow[]): Counted => ({
  rows: rows.map(({ text, spans }) => ({ text, spans })),
  sampled: rows[0]?.sampled ?? 0,
});

export async function countKeys(ask: Ask, question: SpanQuestion): Promise<Counted> {
  const condition = await findNewest(ask, question);
  if (!condition) return NOTHING;
  const rows = await ask<CountedRow>({
    sql: `SELECT key AS text, count() AS spans, any(total) AS sampled FROM (
        SELECT arrayJoin(arrayDistinct(arrayConcat(mapKeys(attributes), mapKeys(resource)))) AS key, total
        FROM (SELECT attributes, resource, count() OVER () AS total FROM (${newestSql(condition, 'attributes, resource')})))
      WHERE key NOT IN ('service.name', 'svc.tenant.id') GROUP BY key ORDER BY spans DESC, key LIMIT ${MAX_KEYS}
      ${settingsSql(condition.settings)}`,
    params: condition.params,
  });
  return toCounted(rows);
}

export async function countValues(ask: Ask, { key, ...question }: SpanQuestion & { key: string }): Promise<Counted> {
  const condition = await findNewest(ask, question);
  if (!condition) return NOTHING;
  const found = 'if(mapContains(attributes, {key:String}), attributes[{key:String}], toString(resource[{key:String}]))';
  const rows = await ask<CountedRow>({
    sql: `SELECT value AS text, count() AS spans, any(total) AS sampled FROM (
        SELECT value, count() OVER () AS total FROM (${newestSql(condition, `${found} AS value`)}))
      WHERE value != '' AND length(value) <= ${MAX_VALUE} GROUP BY value ORDER BY spans DESC, value LIMIT ${MAX_VALUES}
      ${settingsSql(condition.settings)}`,
    params: { ...condition.params, key },
  });
  return toCounted(rows);
}
