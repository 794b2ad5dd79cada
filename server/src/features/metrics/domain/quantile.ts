/** Counts of a classic histogram: `counts` has one more than `bounds` and is not cumulative. */
export interface ClassicBuckets {
  bounds: readonly number[];
  counts: readonly number[];
}

/**
 * The quantile phi (0 to 1) as Prometheus' histogram_quantile gives it: linear within the bucket, from 0 in a first bucket that ends above
 * 0, the highest bound in the last, open one. NaN without an observation.
 */
export function classicQuantile(phi: number, { bounds, counts }: ClassicBuckets): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (!(total > 0) || bounds.length === 0) return Number.NaN;
  const rank = phi * total;
  let below = 0;
  let at = 0;
  while (at < bounds.length && below + (counts[at] ?? 0) < rank) below += counts[at++] ?? 0;
  if (at === bounds.length) return bounds[at - 1] as number;
  const upper = bounds[at] as number;
  if (at === 0 && upper <= 0) return upper;
  const lower = at === 0 ? 0 : (bounds[at - 1] as number);
  const count = counts[at] ?? 0;
  return count > 0 ? lower + ((upper - lower) * (rank - below)) / count : lower;
}

/** One histogram of several with other bounds: exact at the bounds that all of them have. */
export function mergeClassic(parts: readonly ClassicBuckets[]): ClassicBuckets {
  const [first, ...others] = parts;
  if (first === undefined) return { bounds: [], counts: [] };
  const bounds = first.bounds.filter((bound) => others.every((part) => part.bounds.includes(bound)));
  const counts = new Array<number>(bounds.length + 1).fill(0);
  for (const part of parts) {
    let at = 0;
    for (const [i, count] of part.counts.entries()) {
      const upper = part.bounds[i] ?? Number.POSITIVE_INFINITY;
      while (at < bounds.length && (bounds[at] as number) < upper) at++;
      counts[at] = (counts[at] as number) + count;
    }
  }
  return { bounds, counts };
}

/** Counts of an exponential histogram by bucket index: index i of `positive` holds values above base^i up to base^(i+1). */
export interface ExponentialBuckets {
  /** base = 2^(2^-scale) */
  scale: number;
  zeroCount: number;
  zeroThreshold: number;
  positive: ReadonlyMap<number, number>;
  negative: ReadonlyMap<number, number>;
}

interface Span {
  count: number;
  /** The value at a fraction (0 to 1) of the bucket. */
  valueAt(fraction: number): number;
}

const inOrder = (buckets: ReadonlyMap<number, number>, order: 1 | -1) =>
  [...buckets].filter(([, count]) => count > 0).sort(([a], [b]) => order * (a - b));

/** Buckets from the lowest value to the highest. */
function spansOf({ scale, zeroCount, zeroThreshold, positive, negative }: ExponentialBuckets): Span[] {
  const edge = (exponent: number): number => 2 ** (exponent * 2 ** -scale);
  const below = inOrder(negative, -1);
  const above = inOrder(positive, 1);
  // Values near zero have the sign that all others have.
  const low = below.length > 0 ? -zeroThreshold : 0;
  const high = above.length > 0 || below.length === 0 ? zeroThreshold : 0;
  return [
    ...below.map(([index, count]) => ({ count, valueAt: (f: number) => -edge(index + 1 - f) })),
    ...(zeroCount > 0 ? [{ count: zeroCount, valueAt: (f: number) => low + (high - low) * f }] : []),
    ...above.map(([index, count]) => ({ count, valueAt: (f: number) => edge(index + f) })),
  ];
}

/** The quantile phi (0 to 1), exponential within a bucket as Prometheus does for native histograms. NaN without an observation. */
export function exponentialQuantile(phi: number, buckets: ExponentialBuckets): number {
  const spans = spansOf(buckets);
  const total = spans.reduce((sum, { count }) => sum + count, 0);
  const rank = phi * total;
  let below = 0;
  for (const [i, { count, valueAt }] of spans.entries()) {
    if (below + count >= rank || i === spans.length - 1) return valueAt(Math.min(1, Math.max(0, (rank - below) / count)));
    below += count;
  }
  return Number.NaN;
}
