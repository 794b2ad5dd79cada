import { expect, test } from 'vitest';
import { countSlow, planSteps } from './slow-steps.ts';

const MINUTE = 60_000;

test('steps are whole minutes, two at least, and end now', () => {
  const window = { fromMs: 30_000, toMs: 200 * MINUTE };
  expect(planSteps(window, { steps: 60, nowMs: 120 * MINUTE })).toEqual({ fromMs: 0, toMs: 120 * MINUTE, stepMs: 2 * MINUTE });
  expect(planSteps(window, { steps: 10, nowMs: 1e12 })).toEqual({ fromMs: 0, toMs: 200 * MINUTE, stepMs: 20 * MINUTE });
  // A window that lies ahead has a step all the same.
  expect(planSteps({ fromMs: 5 * MINUTE, toMs: 9 * MINUTE }, { steps: 10, nowMs: 0 }).toMs).toBe(7 * MINUTE);
});

test('a verdict holds until the next one, ten minutes at most', () => {
  const window = { fromMs: 0, toMs: 40 * MINUTE, stepMs: 5 * MINUTE };
  const strips = [
    ['wifi', null, null, null, 'wifi', 'none', null, null],
    [null, 'none', 'wifi', 'isp', null, null, null, null],
  ];
  const counted = countSlow(strips, { cause: 'wifi', window });
  expect(counted.map(({ slow }) => slow)).toEqual([1, 1, 2, 0, 1, 0, 0, 0]);
  expect(counted.map(({ measured }) => measured)).toEqual([1, 2, 2, 1, 2, 2, 1, 1]);
});
