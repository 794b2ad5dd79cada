import { expect, test } from 'vitest';
import type { Latency } from '../../api-types.ts';
import { runsOf, stepAt, stepsFor } from './quantile-lines.ts';

const MINUTE = 60_000;
const BEGIN = Date.parse('2026-11-23T10:00:00Z');

/** Steps of a minute by the number of the minute and how many began in it. */
const latencyOf = (...steps: [minute: number, total: number][]): Latency => ({
  of: 'spans',
  from: new Date(BEGIN).toISOString(),
  to: new Date(BEGIN + 60 * MINUTE).toISOString(),
  step_ms: MINUTE,
  steps: steps.map(([minute, total]) => ({
    at: new Date(BEGIN + minute * MINUTE).toISOString(),
    total,
    errors: 0,
    ...{ p50_ms: 1, p95_ms: 2, p99_ms: 3 },
  })),
});

test('a step that is missing breaks the line', () => {
  const runs = runsOf(latencyOf([0, 9], [1, 9], [4, 9], [6, 9], [7, 9]));
  expect(runs.map((run) => run.map(({ at }) => (at - BEGIN) / MINUTE))).toEqual([[0.5, 1.5], [4.5], [6.5, 7.5]]);
});

test('there are fewer and longer steps where there is less to tell quantiles of, and none of a handful', () => {
  expect([0, 239].map(stepsFor)).toEqual([undefined, undefined]);
  expect([240, 720, 780, 6000, 18_000, 10_000_000].map(stepsFor)).toEqual([12, 12, 13, 100, 300, 300]);
});

test('a time is in the step that begins before it', () => {
  const latency = latencyOf([0, 5], [2, 7]);
  expect(stepAt(latency, BEGIN)?.total).toBe(5);
  expect(stepAt(latency, BEGIN + MINUTE)).toBeUndefined();
  expect(stepAt(latency, BEGIN + 2.9 * MINUTE)?.total).toBe(7);
});
