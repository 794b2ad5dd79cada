const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Lengths that a person reads off an axis. */
const STEPS = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((n) => n * HOUR),
];

/** The shortest round step, milliseconds, that gives at most `buckets` over a window. */
export const chooseStepMs = (windowMs: number, buckets: number): number =>
  STEPS.find((step) => windowMs / step <= buckets) ?? 24 * HOUR * Math.ceil(windowMs / (24 * HOUR) / buckets);
