import type { EdgeSum } from './build-map.ts';
import { bucketOf } from './quantile.ts';

interface Pair {
  source: string;
  target: string;
  kind: EdgeSum['kind'];
}

interface Sum extends EdgeSum {
  durations: Map<number, number>;
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Edges put together call by call. */
export class EdgeSums {
  private readonly sums = new Map<string, Sum>();

  private sumOf({ source, target, kind }: Pair): Sum {
    const key = `${kind}\n${source}\n${target}`;
    const sum = this.sums.get(key) ?? { source, target, kind, calls: 0, errors: 0, durations: new Map(), bytes: 0 };
    this.sums.set(key, sum);
    return sum;
  }

  /** One call that stands for `times`. */
  addCall(pair: Pair, { failed, durationNs, times }: { failed: boolean; durationNs: number; times: number }): void {
    const sum = this.sumOf(pair);
    const bucket = bucketOf(durationNs);
    sum.calls += times;
    if (failed) sum.errors += times;
    sum.durations.set(bucket, (sum.durations.get(bucket) ?? 0) + times);
  }

  /** A service that sent a span of any kind. */
  addService(target: string): void {
    this.sumOf({ source: '', target, kind: 'service' }).calls++;
  }

  addBytes(pair: Pair, bytes: number): void {
    this.sumOf(pair).bytes += bytes;
  }

  busiest(limit: number): EdgeSum[] {
    return [...this.sums.values()]
      .sort((a, b) => b.calls - a.calls || b.bytes - a.bytes || byText(a.source, b.source) || byText(a.target, b.target))
      .slice(0, limit);
  }
}
