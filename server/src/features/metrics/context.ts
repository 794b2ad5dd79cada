import type { MetricReader } from './reader.ts';

/** What the verbs of this slice work with. */
export interface MetricDeps {
  reader: MetricReader;
  clock: { now(): number };
}
