import { parseOriginNotes } from '@svc/contracts/otlp/origin-notes';
import type { TenantId } from '#kernel';
import type { MetricRange, RangeInput } from './api.ts';
import type { MetricDeps } from './context.ts';
import { planRange } from './plan.ts';

/** Points of a metric over time; see `RangeInput` and `planRange`. */
export async function rangeOfMetric(deps: MetricDeps, tenant: TenantId, input: RangeInput): Promise<MetricRange> {
  const plan = await planRange(deps, tenant, input);
  const { reader } = deps;
  const rows = await (input.function === 'quantile' ? reader.quantiles(tenant, plan) : reader.numbers(tenant, plan));
  const { metric, kind, window, grouped, about, scopes } = plan;
  const { metadata } = parseOriginNotes(about.origin);
  return {
    metric,
    otel_name: about.otel_name,
    kind,
    unit: about.unit,
    description: about.description,
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.toMs).toISOString(),
    step_ms: window.stepMs,
    scopes,
    metadata: Object.fromEntries((metadata?.keys ?? []).map((key, i) => [key, metadata?.values[i] ?? ''])),
    matched: plan.fingerprints.length,
    series: rows.sort((a, b) => a.g - b.g).map(({ g, ts, values }) => ({ labels: grouped.labels[g] ?? {}, ts, values })),
  };
}
