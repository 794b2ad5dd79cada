import type { Attributes } from './attributes.ts';
import type { Exemplar, ExponentialPoint, HistogramPoint, NumberPoint } from './signals.ts';

/** One observation, for as many requests as its trace stands for. */
export interface Observation {
  value: number;
  weight: number;
  exemplar: Exemplar;
}

interface Summed {
  attributes: Attributes;
  startMs: number;
  count: number;
  sum: number;
  min: number;
  max: number;
  /** The latest since the last export. */
  exemplar: Exemplar | undefined;
}

const emptySum = (attributes: Attributes, startMs: number): Summed => ({
  attributes,
  startMs,
  count: 0,
  sum: 0,
  min: Number.POSITIVE_INFINITY,
  max: 0,
  exemplar: undefined,
});

function add(to: Summed, { value, weight, exemplar }: Observation): void {
  to.count += weight;
  to.sum += value * weight;
  to.min = Math.min(to.min, value);
  to.max = Math.max(to.max, value);
  to.exemplar = exemplar;
}

function readSum(from: Summed, atMs: number) {
  const { attributes, startMs, count, sum, min, max, exemplar } = from;
  from.exemplar = undefined;
  return { attributes, startMs, atMs, count, sum, min, max, exemplars: exemplar ? [exemplar] : [] };
}

/** One cumulative series of each kind, since a start (Unix ms). */
export function createHistogram(bounds: readonly number[], { attributes, startMs }: { attributes: Attributes; startMs: number }) {
  const total = emptySum(attributes, startMs);
  const counts = new Array<number>(bounds.length + 1).fill(0);
  return {
    observe(observation: Observation): void {
      add(total, observation);
      const found = bounds.findIndex((bound) => observation.value <= bound);
      const place = found < 0 ? bounds.length : found;
      counts[place] = (counts[place] as number) + observation.weight;
    },
    read: (atMs: number): HistogramPoint => ({ ...readSum(total, atMs), counts: [...counts] }),
  };
}

/** Buckets grow by 2^(1/8), 9 %. */
const SCALE = 3;

export function createExponential({ attributes, startMs }: { attributes: Attributes; startMs: number }) {
  const total = emptySum(attributes, startMs);
  const counts = new Map<number, number>();
  return {
    observe(observation: Observation): void {
      add(total, observation);
      const index = Math.ceil(Math.log2(observation.value) * 2 ** SCALE) - 1;
      counts.set(index, (counts.get(index) ?? 0) + observation.weight);
    },
    read(atMs: number): ExponentialPoint {
      const indices = [...counts.keys()];
      const [low, high] = [Math.min(...indices), Math.max(...indices)];
      return {
        ...readSum(total, atMs),
        scale: SCALE,
        zeroCount: 0,
        offset: low,
        counts: Array.from({ length: high - low + 1 }, (_, i) => counts.get(low + i) ?? 0),
      };
    },
  };
}

export function createSum({ attributes, startMs }: { attributes: Attributes; startMs: number }) {
  let value = 0;
  return {
    add: (amount: number): void => {
      value += amount;
    },
    read: (atMs: number): NumberPoint => ({ attributes, startMs, atMs, value }),
  };
}
