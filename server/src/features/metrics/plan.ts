import { parseOriginNotes } from '@svc/contracts/otlp/origin-notes';
import { AppError, type TenantId } from '#kernel';
import type { MetricKind, MetricRange, RangeInput } from './api.ts';
import type { MetricDeps } from './context.ts';
import { checkCells, groupSeries, stepOf } from './domain/plan-range.ts';
import { windowOf } from './domain/window.ts';
import { checkMatchers } from './matchers.ts';
import type { Plan, RangeFrame, SeriesQuestion, SeriesRow } from './reader.ts';

/** Series that one question may read, and series that it may answer with. */
const MAX_MATCHED = 10_000;
const MAX_SERIES = 1000;
/** Scopes that an answer names. */
const MAX_SCOPES = 20;

/** As Prometheus: a series is alive for five minutes after a point, and a counter's growth is told over a gap of as much. */
export const LOOK_BACK_MS = 300_000;

export const isDelta = (kind: MetricKind): boolean => kind.startsWith('delta');
export const isHistogram = (kind: MetricKind): boolean => kind === 'summary' || kind.endsWith('histogram');

/** `validation` for a function that means nothing for the kind. */
function checkFunction(kind: MetricKind, { function: fn, aggregate }: RangeInput): void {
  const refuse = (words: string): never => {
    throw new AppError('validation', words);
  };
  if ((fn === 'rate' || fn === 'increase') && (kind === 'gauge' || kind === 'updown'))
    refuse(`${fn} needs a counter; this is ${kind === 'gauge' ? 'a gauge' : 'a sum that may fall'}.`);
  if (fn === 'quantile' && !isHistogram(kind)) refuse('Quantiles need a histogram or a summary.');
  if (isHistogram(kind) && ['raw', 'min', 'max'].includes(fn))
    refuse('Histograms and summaries support rate, increase, avg and quantile.');
  if (fn === 'quantile' && kind === 'summary' && (aggregate === 'sum' || aggregate === 'count'))
    refuse('Quantiles of summaries do not add up: choose none, avg, min or max.');
}

/** The kind asked for, or the one that most series have. */
function chooseKind(series: readonly SeriesRow[], asked: MetricKind | undefined): MetricKind {
  const counts = new Map<MetricKind, number>();
  for (const { kind } of series) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const [most] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return asked ?? most?.[0] ?? 'gauge';
}

/** The series of a metric that answer to the matchers; `query_limit` for more than one question may read. */
export async function selectSeries(
  { reader }: MetricDeps,
  tenant: TenantId,
  { metric, matchers, window, told }: Omit<SeriesQuestion, 'limit'> & { told?: readonly string[] | undefined },
): Promise<SeriesRow[]> {
  checkMatchers(matchers);
  const rows = await reader.series(tenant, { metric, matchers, window, told, limit: MAX_MATCHED + 1 });
  if (rows.length > MAX_MATCHED)
    throw new AppError('query_limit', `More than ${MAX_MATCHED} series match. Narrow the query by a label.`);
  return rows;
}

/** The scopes of the series, those of most series first. */
function scopesOf(series: readonly SeriesRow[]): MetricRange['scopes'] {
  const found = new Map<string, { scope: MetricRange['scopes'][number]; count: number }>();
  for (const { scope: name, scope_version: version, origin } of series) {
    const { scope, resource } = parseOriginNotes(origin);
    const told = { name, version, schema_url: scope?.schemaUrl ?? '', resource_schema_url: resource?.schemaUrl ?? '' };
    const key = JSON.stringify(told);
    const known = found.get(key);
    if (known) known.count++;
    else found.set(key, { scope: told, count: 1 });
  }
  const most = [...found].sort(([a, { count: n }], [b, { count: m }]) => m - n || (a < b ? -1 : 1));
  return most.slice(0, MAX_SCOPES).map(([, { scope }]) => scope);
}

/** Steps begin at multiples of their length; `validation` for what cannot be asked. */
export function frameOf({ clock }: MetricDeps, input: RangeInput): RangeFrame {
  const { metric, matchers } = input;
  checkMatchers(matchers);
  const asked = windowOf(input, clock.now());
  const stepMs = stepOf(asked, input.step_seconds);
  const fromMs = Math.floor(asked.fromMs / stepMs) * stepMs;
  const readFromMs = Math.floor((fromMs - Math.max(stepMs, LOOK_BACK_MS)) / stepMs) * stepMs;
  return { metric, matchers, window: { fromMs, toMs: asked.toMs, stepMs }, readFromMs };
}

/** `not_found` where no series answers, `validation` or `query_limit` for more than one answer holds. */
export async function planRange(
  deps: MetricDeps,
  tenant: TenantId,
  { input, frame }: { input: RangeInput; frame: RangeFrame },
): Promise<Plan> {
  const { window, readFromMs } = frame;
  const told = input.aggregate === 'none' ? undefined : input.by;
  const all = await selectSeries(deps, tenant, { ...input, told, window: { fromMs: readFromMs, toMs: window.toMs } });
  const kind = chooseKind(all, input.kind);
  const series = all.filter((row) => row.kind === kind);
  const [about] = series;
  if (about === undefined) throw new AppError('not_found', 'No series match in this time range.');
  checkFunction(kind, input);
  const grouped = groupSeries(series, told);
  if (grouped.labels.length > MAX_SERIES)
    throw new AppError('query_limit', `More than ${MAX_SERIES} series match. Narrow the query by a label, or group them.`);
  checkCells(grouped.labels.length, window);
  const fingerprints = series.map(({ id }) => BigInt(id));
  return { ...frame, kind, fingerprints, grouped, input, about, scopes: scopesOf(series) };
}
