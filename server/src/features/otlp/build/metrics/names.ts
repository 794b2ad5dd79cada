import { type MetricSource, sourceOfMetric } from '@svc/contracts/metric-source';
import { tsdbName } from './name.ts';

const KNOWN_NAMES = 20_000;

/** Days that points are kept, by source. */
export type MetricClocks = Readonly<Record<MetricSource, number>>;

export interface Named {
  /** As in a TSDB. */
  metric: string;
  keepDays: number;
}

/** How metrics are called, remembered by what they were sent as. */
export class MetricNames {
  private readonly clocks: MetricClocks;
  private readonly known = new Map<string, Named>();

  constructor(clocks: MetricClocks) {
    this.clocks = clocks;
  }

  of({ otelName, unit }: { otelName: string; unit: string }, { kind, monotonic }: { kind: string; monotonic: boolean }): Named {
    const shape = `${kind}\0${monotonic}\0${unit}\0${otelName}`;
    const known = this.known.get(shape);
    if (known) return known;
    if (this.known.size >= KNOWN_NAMES) this.known.clear();
    const metric = tsdbName({ name: otelName, unit, monotonic, gauge: kind === 'gauge' });
    const named = { metric, keepDays: this.clocks[sourceOfMetric(metric)] };
    this.known.set(shape, named);
    return named;
  }
}

/** The kind as column `kind` has it (clickhouse/migrations/0008). */
export function kindOf(kind: string, { delta, monotonic }: { delta: boolean; monotonic: boolean }): string {
  if (kind === 'sum') return delta ? 'delta' : monotonic ? 'sum' : 'updown';
  return delta && kind.endsWith('histogram') ? `delta_${kind}` : kind;
}
