/** Hundreds of nanoseconds to days in steps of 9 %: quantiles of these are at most 5 % off. */
export const BUCKETS_A_DOUBLING = 8;
const NS_PER_MS = 1e6;

/** Calls by floor(8 * log2(duration in ns)). */
export type Durations = ReadonlyMap<number, number>;

/** The duration in milliseconds that a share `q` of the calls did not exceed: the middle of its bucket, at most 5 % off; null without calls. */
export function quantileMs(durations: Durations, q: number): number | null {
  const buckets = [...durations].sort(([a], [b]) => a - b);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const rank = q * total;
  let before = 0;
  for (const [bucket, count] of buckets) {
    before += count;
    if (before >= rank) return 2 ** ((bucket + 0.5) / BUCKETS_A_DOUBLING) / NS_PER_MS;
  }
  return null;
}

export function addDurations(into: Map<number, number>, more: Durations): void {
  for (const [bucket, count] of more) into.set(bucket, (into.get(bucket) ?? 0) + count);
}
