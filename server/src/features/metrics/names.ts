import { AppError, type TenantId } from '#kernel';
import type { Exemplars, ExemplarsInput, LabelsInput, MetricName, NamesInput, ValuesInput } from './api.ts';
import { ask, inWindow, type MetricStore, matcherSql, patternFault, selectSeries, windowOf } from './select-series.ts';

const MAX_LABELS = 500;

/** Metrics with series in the window, by name; a name with two kinds stands twice. */
export async function listMetrics(deps: MetricStore, tenant: TenantId, input: NamesInput) {
  const months = inWindow(windowOf(input, deps.clock.now()));
  const words = (input.search ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10);
  const sql = `SELECT metric, kind, any(otel_name) AS otel_name, argMax(unit, month) AS unit, argMax(description, month) AS description,
      toUInt32(uniq(fp)) AS series FROM metric_series
    WHERE ${months.where} AND (${words.map((_, i) => `positionUTF8(lower(concat(metric, ' ', metric_series.otel_name, ' ', metric_series.description)), {w${i}:String}) > 0`).join(' AND ') || '1'})
    GROUP BY metric, kind ORDER BY metric, kind LIMIT {limit:UInt32}`;
  const found = Object.fromEntries(words.map((word, i) => [`w${i}`, word]));
  const params = { ...months.params, ...found, limit: input.limit + 1 };
  const rows = await ask<MetricName>(deps, tenant, { sql, params });
  return { items: rows.slice(0, input.limit), more: rows.length > input.limit, stored: true };
}

/** The months of the window, the metric and the matchers, as a condition. */
function seriesWhere(deps: MetricStore, input: LabelsInput) {
  const months = inWindow(windowOf(input, deps.clock.now()));
  const labels = matcherSql(input.matchers);
  return {
    where: `${months.where} AND metric = {metric:String} AND ${labels.where}`,
    params: { metric: input.metric, ...months.params, ...labels.params },
  };
}

export async function listLabels(deps: MetricStore, tenant: TenantId, input: LabelsInput) {
  const { where, params } = seriesWhere(deps, input);
  const sql = `SELECT pair.1 AS label, toUInt32(uniq(pair.2)) AS values FROM metric_series ARRAY JOIN CAST(labels AS Array(Tuple(String, String))) AS pair
    WHERE ${where} GROUP BY label ORDER BY values = 1, label LIMIT ${MAX_LABELS}`;
  return { items: await ask<{ label: string; values: number }>(deps, tenant, { sql, params }).catch(patternFault) };
}

/** Values of one label, those of most series first. */
export async function listValues(deps: MetricStore, tenant: TenantId, input: ValuesInput) {
  const { where, params } = seriesWhere(deps, input);
  const sql = `SELECT labels[{label:String}] AS value, toUInt32(uniq(fp)) AS series FROM metric_series
    WHERE ${where} AND mapContains(labels, {label:String}) AND positionUTF8(lower(labels[{label:String}]), {search:String}) > 0
    GROUP BY value ORDER BY series DESC, value LIMIT {limit:UInt32}`;
  const found = { ...params, label: input.label, search: (input.search ?? '').toLowerCase(), limit: input.limit + 1 };
  const rows = await ask<{ value: string; series: number }>(deps, tenant, { sql, params: found }).catch(patternFault);
  return { items: rows.slice(0, input.limit), more: rows.length > input.limit };
}

interface ExemplarRow {
  id: string;
  at: number;
  value: number;
  trace_id: string;
  span_id: string;
  attributes: Record<string, string>;
}

const STRETCHES = 100;
const NO_TRACE = /^0*$/;

/** Measurements with their traces, spread over the window: the largest of each hundredth. */
export async function listExemplars(deps: MetricStore, tenant: TenantId, input: ExemplarsInput): Promise<Exemplars> {
  const window = windowOf(input, deps.clock.now());
  const series = await selectSeries(deps, tenant, { ...input, window });
  if (series.length === 0) return { items: [] };
  const stretchMs = Math.max(1, Math.ceil((window.toMs - window.fromMs) / STRETCHES));
  const perStretch = Math.max(1, Math.floor(input.limit / STRETCHES));
  const sql = `SELECT id, at, value, trace_id, span_id, attributes FROM (
      SELECT toString(fp) AS id, toUnixTimestamp64Milli(ts) AS at, value, lower(hex(metric_exemplars.trace_id)) AS trace_id,
        lower(hex(metric_exemplars.span_id)) AS span_id, attributes, intDiv(at, {stretchMs:Int64}) AS stretch FROM metric_exemplars
      WHERE tenant_id = {tenant:String} AND metric = {metric:String} AND fp IN {fingerprints:Array(UInt64)}
        AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
      ORDER BY value DESC LIMIT 1 BY fp, at, trace_id, span_id LIMIT 100000)
    ORDER BY stretch, value DESC LIMIT {perStretch:UInt32} BY stretch LIMIT {limit:UInt32}`;
  const fingerprints = series.map(({ id }) => BigInt(id));
  const params = { metric: input.metric, fingerprints, ...window, stretchMs, perStretch, limit: input.limit };
  const rows = await ask<ExemplarRow>(deps, tenant, { sql, params });
  const labels = new Map(series.map((row) => [row.id, row.labels]));
  return {
    items: rows
      .sort((a, b) => a.at - b.at)
      .map(({ id, at, ...row }) => ({
        ...row,
        at: new Date(at).toISOString(),
        trace_id: NO_TRACE.test(row.trace_id) ? '' : row.trace_id,
        span_id: NO_TRACE.test(row.span_id) ? '' : row.span_id,
        labels: labels.get(id) ?? {},
      })),
  };
}

/** What is answered where telemetry is kept in memory only. */
export const nothingStored = () =>
  new AppError('not_found', 'Metrics of services are not kept here: this machine has no column store. Set SVC_CLICKHOUSE_URL.');
