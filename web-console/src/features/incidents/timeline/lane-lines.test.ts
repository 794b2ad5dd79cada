import { expect, it } from 'vitest';
import { grownPhase, lineOfPlace, lineOfService, lineOfTest, pathOf, phaseTitle, valueAt } from './lane-lines.ts';

const MINUTE = 60_000;
const run = (minute: number, phases: Record<string, number>, failed = 0) => ({
  ...{ at: new Date(minute * MINUTE).toISOString(), phases, failed },
  total_ms: Object.values(phases).reduce((sum, ms) => sum + ms, 0),
});
const runs = [
  run(0, { dns: 2, tls: 100 }),
  run(1, { dns: 9, tls: 110 }),
  run(2, { dns: 2, tls: 3000 }, 1),
  run(3, { dns: 3, tls: 3100 }, 1),
  run(9, { dns: 2 }, 1),
];

it('names the phase that takes longer since the first harm, and none where nothing does', () => {
  expect(grownPhase(runs, 2 * MINUTE)).toBe('tls');
  expect(phaseTitle('tls')).toBe('TLS');
  expect(grownPhase(runs.slice(0, 2), 2 * MINUTE)).toBeUndefined();
  expect(grownPhase([run(0, { dns: 10 }), run(3, { dns: 12 })], 2 * MINUTE)).toBeUndefined();
  expect(phaseTitle(undefined)).toBe('How long runs take');
});

it('draws a phase, and breaks where nothing was measured', () => {
  const line = lineOfTest('Shop', runs, 'tls');
  expect(line.points.map(({ value }) => value)).toEqual([100, 110, 3000, 3100, null, null]);
  const scale = { toX: (at: number) => at / MINUTE, toY: (value: number) => value };
  expect(pathOf(line, scale)).toBe('M0.0 100.0L1.0 110.0L2.0 3000.0L3.0 3100.0');
  expect(valueAt(line, 1.4 * MINUTE, MINUTE)).toBe(110);
  expect(valueAt(line, 8 * MINUTE, MINUTE)).toBeUndefined();
});

it('draws counts of devices as steps that hold', () => {
  const steps = [
    { slow: 0, measured: 4 },
    { slow: 3, measured: 4 },
    { slow: 0, measured: 0 },
  ];
  const line = lineOfPlace(
    { site: 'Berlin', gateway: '10.0.0.1', cause: 'wifi', devices: 4, steps },
    { from: new Date(0).toISOString(), step_seconds: 60 },
  );
  expect(line.name).toBe('Berlin, 10.0.0.1');
  expect(pathOf(line, { toX: (at) => at / MINUTE, toY: (value) => 10 - value })).toBe('M0.0 10.0H1.0V7.0H2.0');
  expect([30_000, 90_000, 150_000].map((at) => valueAt(line, at, 0))).toEqual([0, 3, undefined]);
});

it('draws what share of a service failed', () => {
  const line = lineOfService('checkout', [{ at: new Date(0).toISOString(), total: 50, errors: 6 }], MINUTE);
  expect(line.points).toEqual([{ at: 0, value: 12 }]);
});
