import type { TenantId } from '#kernel';
import type { Exemplars, ExemplarsInput, LabelsInput, NamesInput, ValuesInput } from './api.ts';
import type { MetricDeps } from './context.ts';
import { windowOf } from './domain/window.ts';
import { checkMatchers } from './matchers.ts';
import { selectSeries } from './plan.ts';

const MAX_LABELS = 500;

/** Metrics with series in the window, by name; a name with two kinds stands twice. */
export async function listMetrics({ reader, clock }: MetricDeps, tenant: TenantId, input: NamesInput) {
  const window = windowOf(input, clock.now());
  const words = (input.search ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, 10);
  const rows = await reader.metrics(tenant, { window, words, limit: input.limit + 1 });
  return { items: rows.slice(0, input.limit), more: rows.length > input.limit };
}

function questionOf({ clock }: MetricDeps, input: LabelsInput) {
  checkMatchers(input.matchers);
  return { metric: input.metric, matchers: input.matchers, window: windowOf(input, clock.now()) };
}

export const listLabels = async (deps: MetricDeps, tenant: TenantId, input: LabelsInput) => ({
  items: await deps.reader.labels(tenant, { ...questionOf(deps, input), limit: MAX_LABELS }),
});

/** Values of one label, those of most series first. */
export async function listValues(deps: MetricDeps, tenant: TenantId, input: ValuesInput) {
  const { label, limit, search = '' } = input;
  const question = { ...questionOf(deps, input), label, search: search.toLowerCase(), limit: limit + 1 };
  const rows = await deps.reader.values(tenant, question);
  return { items: rows.slice(0, limit), more: rows.length > limit };
}

const STRETCHES = 100;
const NO_TRACE = /^0*$/;

/** Measurements with their traces, spread over the window: the largest of each hundredth. */
export async function listExemplars(deps: MetricDeps, tenant: TenantId, input: ExemplarsInput): Promise<Exemplars> {
  const { metric, limit } = input;
  const window = windowOf(input, deps.clock.now());
  const series = await selectSeries(deps, tenant, { ...input, window });
  if (series.length === 0) return { items: [] };
  const stretchMs = Math.max(1, Math.ceil((window.toMs - window.fromMs) / STRETCHES));
  const perStretch = Math.max(1, Math.floor(limit / STRETCHES));
  const fingerprints = series.map(({ id }) => BigInt(id));
  const rows = await deps.reader.exemplars(tenant, { metric, fingerprints, window, stretchMs, perStretch, limit });
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
