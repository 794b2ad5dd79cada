import type { Ctx } from '#kernel';
import type { TraceFilter, ValuesInput } from './api.ts';
import { ask, type TracesDeps, windowOf } from './context.ts';
import { type Condition, filterSql } from './filter-sql.ts';
import type { AttributeValues, Facets } from './views.ts';

const MAX_SERVICES = 200;
const MAX_OPERATIONS = 100;
const MAX_KEYS = 200;
const MAX_VALUES = 50;
/** Longer values are no choice to click on. */
const MAX_VALUE = 200;
const SAMPLE = 5000;

interface GroupRow {
  service: string;
  name: string;
  spans: number;
  errors: number;
  p95: number;
}

const COUNTS = 'count() AS spans, countIf(status = 2) AS errors, quantile(0.95)(duration_ns) / 1e6 AS p95';

const toGroup = ({ spans, errors, p95 }: GroupRow) => ({ spans, errors, p95_ms: p95 });

/**
 * The newest spans that match: their times are found first, so that the maps, which are most of what a span weighs, are read of these
 * alone. Spans of the very same instant may make it a few more.
 */
const newestSql = ({ where }: Condition, columns: string): string =>
  `SELECT ${columns} FROM spans WHERE ${where} AND ts >= (
     SELECT min(at) FROM (SELECT ts AS at FROM spans WHERE ${where} ORDER BY ts DESC LIMIT ${SAMPLE})) LIMIT ${2 * SAMPLE}`;

async function readKeys(deps: TracesDeps, ctx: Ctx, condition: Condition): Promise<Pick<Facets, 'attributes' | 'sampled'>> {
  const rows = await ask<{ key: string; spans: number; sampled: number }>(deps, ctx, {
    sql: `SELECT key, count() AS spans, any(total) AS sampled FROM (
        SELECT arrayJoin(arrayDistinct(arrayConcat(mapKeys(attributes), mapKeys(resource)))) AS key, total
        FROM (SELECT attributes, resource, count() OVER () AS total FROM (${newestSql(condition, 'attributes, resource')})))
      WHERE key NOT IN ('service.name', 'svc.tenant.id') GROUP BY key ORDER BY spans DESC, key LIMIT ${MAX_KEYS}`,
    params: condition.params,
  });
  return { attributes: rows.map(({ key, spans }) => ({ key, spans })), sampled: rows[0]?.sampled ?? 0 };
}

/** What there is to filter by in the window, each list without its own filter. */
export async function readFacets(deps: TracesDeps, ctx: Ctx, filter: TraceFilter): Promise<Facets> {
  const window = windowOf(deps, filter);
  const ofServices = filterSql(filter, window, ['service', 'operation']);
  const ofOperations = filterSql(filter, window, ['operation']);
  const [services, operations, keys] = await Promise.all([
    ask<GroupRow>(deps, ctx, {
      sql: `SELECT service, '' AS name, ${COUNTS} FROM spans WHERE ${ofServices.where}
        GROUP BY service ORDER BY spans DESC, service LIMIT ${MAX_SERVICES}`,
      params: ofServices.params,
    }),
    ask<GroupRow>(deps, ctx, {
      sql: `SELECT service, name, ${COUNTS} FROM spans WHERE ${ofOperations.where}
        GROUP BY service, name ORDER BY spans DESC, service, name LIMIT ${MAX_OPERATIONS}`,
      params: ofOperations.params,
    }),
    readKeys(deps, ctx, filterSql(filter, window)),
  ]);
  return {
    services: services.map((row) => ({ name: row.service, ...toGroup(row) })),
    operations: operations.map((row) => ({ service: row.service, name: row.name, ...toGroup(row) })),
    ...keys,
    any: services.length > 0 || (await hasSpans(deps, ctx)),
  };
}

async function hasSpans(deps: TracesDeps, ctx: Ctx): Promise<boolean> {
  const rows = await ask(deps, ctx, { sql: 'SELECT 1 AS one FROM spans WHERE tenant_id = {tenant:String} LIMIT 1', params: {} });
  return rows.length > 0;
}

/** The values of one attribute among the newest spans that have it. */
export async function readValues(deps: TracesDeps, ctx: Ctx, { key, ...filter }: ValuesInput): Promise<AttributeValues> {
  const condition = filterSql(filter, windowOf(deps, filter));
  const found = 'if(mapContains(attributes, {key:String}), attributes[{key:String}], toString(resource[{key:String}]))';
  const rows = await ask<{ value: string; spans: number; sampled: number }>(deps, ctx, {
    sql: `SELECT value, count() AS spans, any(total) AS sampled FROM (
        SELECT value, count() OVER () AS total FROM (${newestSql(condition, `${found} AS value`)}))
      WHERE value != '' AND length(value) <= ${MAX_VALUE} GROUP BY value ORDER BY spans DESC, value LIMIT ${MAX_VALUES}`,
    params: { ...condition.params, key },
  });
  return { values: rows.map(({ value, spans }) => ({ value, spans })), sampled: rows[0]?.sampled ?? 0 };
}
