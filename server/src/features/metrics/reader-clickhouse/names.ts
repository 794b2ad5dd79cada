import type { TenantId } from '#kernel';
import type { MetricName } from '../api.ts';
import type { ExemplarRow, MetricReader, SeriesQuestion, SeriesRow } from '../reader.ts';
import { ask, inWindow, type MetricStore, ofSeries, patternFault } from './ask.ts';

type Names = Pick<MetricReader, 'metrics' | 'labels' | 'values' | 'series' | 'exemplars'>;

const LABELS = (where: string): string => `SELECT pair.1 AS label, toUInt32(uniq(pair.2)) AS values
  FROM metric_series ARRAY JOIN CAST(labels AS Array(Tuple(String, String))) AS pair
  WHERE ${where} GROUP BY label ORDER BY values = 1, label LIMIT {limit:UInt32}`;

const VALUES = (where: string): string => `SELECT labels[{label:String}] AS value, toUInt32(uniq(fp)) AS series FROM metric_series
  WHERE ${where} AND mapContains(labels, {label:String}) AND positionUTF8(lower(labels[{label:String}]), {search:String}) > 0
  GROUP BY value ORDER BY series DESC, value LIMIT {limit:UInt32}`;

const seriesSql = (
  where: string,
  labels: 'labels, ' | '',
): string => `SELECT toString(fp) AS id, kind, unit, otel_name, description, ${labels}scope, scope_version, origin
  FROM metric_series
  WHERE ${where} ORDER BY fp, month DESC LIMIT 1 BY fp LIMIT {limit:UInt32}`;

const SERIES = (where: string): string => seriesSql(where, 'labels, ');

/** Labels weigh more than all the rest: where none is told, they are not read. */
const SERIES_TOLD = (where: string): string =>
  `SELECT * REPLACE(mapFilter((name, _) -> has({told:Array(String)}, name), labels) AS labels) FROM (${SERIES(where)})`;
const SERIES_UNTOLD = (where: string): string => `SELECT *, map() AS labels FROM (${seriesSql(where, '')})`;

function seriesQuestion(told: readonly string[] | undefined) {
  if (told === undefined) return { sql: SERIES };
  return told.length === 0 ? { sql: SERIES_UNTOLD } : { sql: SERIES_TOLD, params: { told } };
}

const EXEMPLARS = `SELECT id, at, value, trace_id, span_id, attributes FROM (
    SELECT toString(fp) AS id, toUnixTimestamp64Milli(ts) AS at, value, lower(hex(metric_exemplars.trace_id)) AS trace_id,
      lower(hex(metric_exemplars.span_id)) AS span_id, attributes, intDiv(at, {stretchMs:Int64}) AS stretch FROM metric_exemplars
    WHERE tenant_id = {tenant:String} AND metric = {metric:String} AND fp IN {fingerprints:Array(UInt64)}
      AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
    ORDER BY value DESC LIMIT 1 BY fp, at, trace_id, span_id LIMIT 100000)
  ORDER BY stretch, value DESC LIMIT {perStretch:UInt32} BY stretch LIMIT {limit:UInt32}`;

/** Names, labels, series and exemplars out of the column store. */
export function readNames(deps: MetricStore): Names {
  const inSeries = <Row>(tenant: TenantId, question: SeriesQuestion, given: { sql: typeof LABELS; params?: object }) => {
    const { where, params } = ofSeries(question);
    const asked = { ...params, limit: question.limit, ...given.params };
    return ask<Row>(deps, tenant, { sql: given.sql(where), params: asked }).catch(patternFault);
  };
  return {
    metrics(tenant, { window, words, limit }) {
      const months = inWindow(window);
      const found = words.map(
        (_, i) =>
          `positionUTF8(lower(concat(metric, ' ', metric_series.otel_name, ' ', metric_series.description)), {w${i}:String}) > 0`,
      );
      const sql = `SELECT metric, kind, any(otel_name) AS otel_name, argMax(unit, month) AS unit, argMax(description, month) AS description,
          toUInt32(uniq(fp)) AS series FROM metric_series
        WHERE ${[months.where, ...found].join(' AND ')}
        GROUP BY metric, kind ORDER BY metric, kind LIMIT {limit:UInt32}`;
      const asked = Object.fromEntries(words.map((word, i) => [`w${i}`, word]));
      return ask<MetricName>(deps, tenant, { sql, params: { ...months.params, ...asked, limit } });
    },
    labels: (tenant, question) => inSeries(tenant, question, { sql: LABELS }),
    values: (tenant, { label, search, ...question }) => inSeries(tenant, question, { sql: VALUES, params: { label, search } }),
    series: (tenant, { told, ...question }) => inSeries<SeriesRow>(tenant, question, seriesQuestion(told)),
    exemplars: (tenant, { window, ...question }) =>
      ask<ExemplarRow>(deps, tenant, { sql: EXEMPLARS, params: { ...question, ...window } }),
  };
}
