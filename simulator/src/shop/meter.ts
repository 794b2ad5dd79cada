import type { Attributes } from './attributes.ts';
import { createExponential, createHistogram, createSum } from './instruments.ts';
import { type DurationMetric, labelsOf, metricOf } from './metrics-of-spans.ts';
import type { Instance } from './services.ts';
import type { InstanceMetrics, Metric, NumberPoint, Span } from './signals.ts';

type Series = ReturnType<typeof createHistogram> | ReturnType<typeof createExponential>;
type Sum = ReturnType<typeof createSum>;

interface SumMetric {
  name: string;
  unit: string;
  description: string;
}

interface Kept {
  instance: Instance;
  startMs: number;
  durations: Map<DurationMetric, Map<string, Series>>;
  sums: Map<SumMetric, Map<string, Sum>>;
}

/** Hidden behind what it gives: each kind of metric has points of its own type. */
const toMetric = (metric: DurationMetric, points: unknown): Metric => ({ ...metric, points }) as Metric;

/**
 * The cumulative metrics of every instance, counted from the spans that it made: quantiles and traces tell the same story. An instance
 * counts from the first time it is seen.
 */
export function createMeter() {
  const all = new Map<string, Kept>();

  const keptOf = (instance: Instance, atMs: number): Kept => {
    const known = all.get(instance.key);
    if (known) return known;
    const made: Kept = { instance, startMs: atMs, durations: new Map(), sums: new Map() };
    all.set(instance.key, made);
    return made;
  };

  const seriesOf = (kept: Kept, metric: DurationMetric, attributes: Attributes): Series => {
    const series = kept.durations.get(metric) ?? new Map<string, Series>();
    kept.durations.set(metric, series);
    const key = Object.values(attributes).join('|');
    const known = series.get(key);
    if (known) return known;
    const start = { attributes, startMs: kept.startMs };
    const made = metric.type === 'histogram' ? createHistogram(metric.bounds, start) : createExponential(start);
    series.set(key, made);
    return made;
  };

  return {
    observe(span: Span): void {
      const metric = metricOf(span);
      if (!metric) return;
      const { startMs, endMs, weight, traceId, spanId } = span;
      const kept = keptOf(span.instance, startMs);
      const value = (endMs - startMs) / (metric.unit === 's' ? 1000 : 1);
      const exemplar = { atMs: endMs, value, traceId, spanId };
      seriesOf(kept, metric, labelsOf(span, metric.keys)).observe({ value, weight, exemplar });
    },
    /** Adds to a monotonic sum of an instance. */
    count(
      instance: Instance,
      sum: SumMetric,
      { attributes, amount, atMs }: { attributes: Attributes; amount: number; atMs: number },
    ) {
      const kept = keptOf(instance, atMs);
      const series = kept.sums.get(sum) ?? new Map<string, Sum>();
      kept.sums.set(sum, series);
      const key = Object.values(attributes).join('|');
      const one = series.get(key) ?? createSum({ attributes, startMs: kept.startMs });
      series.set(key, one);
      one.add(amount);
    },
    /** All series of the instances that still run, at a moment. */
    read(atMs: number, runs: (instance: Instance) => boolean): InstanceMetrics[] {
      for (const [key, { instance }] of all) if (!runs(instance)) all.delete(key);
      return [...all.values()].map(({ instance, durations, sums }) => ({
        instance,
        metrics: [
          ...[...durations].map(([metric, series]) =>
            toMetric(
              metric,
              [...series.values()].map((one) => one.read(atMs)),
            ),
          ),
          ...[...sums].map(([metric, series]): Metric => {
            const points: NumberPoint[] = [...series.values()].map((one) => one.read(atMs));
            return { ...metric, type: 'sum', monotonic: true, points };
          }),
        ],
      }));
    },
  };
}

export type Meter = ReturnType<typeof createMeter>;
