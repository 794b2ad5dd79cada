import type { MetricOptions } from '@opentelemetry/api';

/** Options of a histogram of durations: from a tenth of a millisecond, an answer from memory, to half a minute, the longest that is waited for. */
export const SECONDS: MetricOptions = {
  unit: 's',
  advice: {
    explicitBucketBoundaries: [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
};
