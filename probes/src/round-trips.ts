export interface RoundTrips {
  readonly rttAvgMs: number | null;
  readonly rttMinMs: number | null;
  readonly rttMaxMs: number | null;
}

/** Mean, least and greatest; null where nothing came back. */
export function summariseRoundTrips(rttsMs: readonly number[]): RoundTrips {
  if (rttsMs.length === 0) return { rttAvgMs: null, rttMinMs: null, rttMaxMs: null };
  const sum = rttsMs.reduce((total, rtt) => total + rtt, 0);
  return { rttAvgMs: sum / rttsMs.length, rttMinMs: Math.min(...rttsMs), rttMaxMs: Math.max(...rttsMs) };
}

/** The lower median: one spike moves it by one place at most. Null where nothing came back. */
export const medianOf = (values: readonly number[]): number | null =>
  values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? null;
