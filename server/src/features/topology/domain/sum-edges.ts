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

const keyOf = ({ source, target, kind }: Pair): string => `${kind}\n${source}\n${target}`;
const byWeight = (a: EdgeSum, b: EdgeSum): number =>
  b.calls - a.calls || b.bytes - a.bytes || byText(a.source, b.source) || byText(a.target, b.target);

/** Whom connections beyond the bound are said to go to or come from. */
export const OTHER = 'other';

/** Edges put together call by call. */
export class EdgeSums {
  private readonly sums = new Map<string, Sum>();

  private sumOf({ source, target, kind }: Pair): Sum {
    const key = keyOf({ source, target, kind });
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

  /** Of each kind so many keep their names, the busiest; the targets of further ones become one, and then their sources as well. */
  fold(most: number): void {
    this.foldBeyond(most, ({ source, kind }) => ({ source, target: OTHER, kind }));
    this.foldBeyond(2 * most, ({ kind }) => ({ source: OTHER, target: OTHER, kind }));
  }

  private foldBeyond(most: number, nameOf: (sum: Sum) => Pair): void {
    const places = new Map<string, number>();
    for (const sum of [...this.sums.values()].sort(byWeight)) {
      const place = (places.get(sum.kind) ?? 0) + 1;
      places.set(sum.kind, place);
      if (place <= most) continue;
      this.sums.delete(keyOf(sum));
      const { calls, errors, bytes, durations } = sum;
      const into = this.sumOf(nameOf(sum));
      into.calls += calls;
      into.errors += errors;
      into.bytes += bytes;
      for (const [bucket, count] of durations) into.durations.set(bucket, (into.durations.get(bucket) ?? 0) + count);
    }
  }

  busiest(limit: number): EdgeSum[] {
    return [...this.sums.values()].sort(byWeight).slice(0, limit);
  }
}
