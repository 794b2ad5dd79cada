import { parseOriginNotes } from '@svc/contracts/otlp/origin-notes';
import type { TenantId } from '#kernel';
import type { MetricRange, RangeInput } from './api.ts';
import type { MetricDeps } from './context.ts';
import { frameOf, planRange } from './plan.ts';

/** Points of a metric over time; see `RangeInput` and `planRange`. */
export async function rangeOfMetric(deps: MetricDeps, tenant: TenantId, input: RangeInput): Promise<MetricRange> {
  const { reader } = deps;
  const frame = frameOf(deps, input);
  const planned = planRange(deps, tenant, { input, frame });
  const [plan, rows] = await Promise.all([
    planned,
    input.function === 'quantile'
      ? planned.then((known) => reader.quantiles(tenant, known))
      : reader.numbers(tenant, frame, planned),
  ]);
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
