import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPlanClock } from '../plan-clock.ts';
import { createLanes, LANE_CAPS } from './lanes.ts';
import { createScheduler, type DueRun } from './scheduler.ts';
import { nextSlot, phaseOf } from './slots.ts';
import { plannedTest } from './test-plan.ts';

const START = Date.parse('2026-11-25T10:00:00.000Z');
let monotonic = 0;
let wall = START;

beforeEach(() => {
  vi.useFakeTimers();
  monotonic = 0;
  wall = START;
});
afterEach(() => void vi.useRealTimers());

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    monotonic += 50;
    wall += 50;
    await vi.advanceTimersByTimeAsync(50);
  }
}

function open({ durationMs = 10, caps = LANE_CAPS } = {}) {
  const clock = createPlanClock({ wall: () => wall, monotonic: () => monotonic });
  const runs: (DueRun & { startedMs: number })[] = [];
  const aborted: string[] = [];
  let most = 0;
  const lanes = createLanes({ shared: true, caps });
  const scheduler = createScheduler({
    runnerId: 'r',
    clock,
    lanes,
    async run(due, signal) {
      runs.push({ ...due, startedMs: clock.now() });
      most = Math.max(most, lanes.running());
      signal.addEventListener('abort', () => aborted.push(due.planned.test.id));
      await new Promise((resolve) => setTimeout(resolve, durationMs));
    },
  });
  return { clock, scheduler, runs, aborted, most: () => most };
}

it('runs each test once an interval, in its own place of it, for as long as it lasts', async () => {
  const { scheduler, runs } = open();
  scheduler.change('t', { put: Array.from({ length: 200 }, (_, n) => plannedTest(n)), remove: [] });
  await pass(180_000);
  scheduler.close();
  expect(runs).toHaveLength(600);
  const planned = new Map<string, number[]>();
  for (const {
    planned: { test },
    plannedMs,
  } of runs)
    planned.set(test.id, [...(planned.get(test.id) ?? []), plannedMs]);
  for (const [id, at] of planned) {
    const phase = phaseOf('r', id, 60_000);
    expect(at.map((ms) => (ms - phase) % 60_000)).toEqual([0, 0, 0]);
  }
  // Spread over the interval, with no second that has many.
  const seconds = Array.from(
    { length: 60 },
    (_, s) => runs.filter(({ plannedMs }) => Math.floor(plannedMs / 1000) % 60 === s).length,
  );
  expect(Math.max(...seconds)).toBeLessThan(36);
  expect(Math.max(...runs.map(({ startedMs, plannedMs }) => startedMs - plannedMs))).toBeLessThan(100);
});

it('begins nothing at once after a start, and keeps the rhythm that it had before it', async () => {
  const first = open();
  first.scheduler.change('t', { put: [plannedTest(1), plannedTest(2), plannedTest(3)], remove: [] });
  await pass(120_000);
  first.scheduler.close();
  await pass(10 * 60_000 + 17_000);
  const second = open();
  second.scheduler.change('t', { put: [plannedTest(1), plannedTest(2), plannedTest(3)], remove: [] });
  await pass(60_000);
  second.scheduler.close();
  expect(second.runs).toHaveLength(3);
  for (const { planned, plannedMs } of second.runs) {
    const before = first.runs.find((run) => run.planned.test.id === planned.test.id)?.plannedMs ?? 0;
    expect((plannedMs - before) % 60_000).toBe(0);
  }
});

it('never runs a test twice at once, and tells what it left out', async () => {
  const { scheduler, runs, most } = open({ durationMs: 2500 });
  scheduler.change('t', { put: [plannedTest(1, { interval_seconds: 1 })], remove: [] });
  await pass(12_000);
  scheduler.close();
  expect(most()).toBe(1);
  expect(runs.length).toBeGreaterThanOrEqual(3);
  expect(runs.length).toBeLessThanOrEqual(5);
  for (const { leftOut } of runs.slice(1)) expect(leftOut).toBe(2);
});

it('goes on calmly when the wall clock is set an hour on or back', async () => {
  for (const jump of [3_600_000, -3_600_000]) {
    const { scheduler, runs } = open();
    scheduler.change('t', { put: Array.from({ length: 60 }, (_, n) => plannedTest(n)), remove: [] });
    await pass(60_000);
    expect(runs).toHaveLength(60);
    wall += jump;
    await pass(5000);
    // At most what five seconds have by plan.
    expect(runs.length - 60).toBeLessThan(20);
    await pass(55_000);
    scheduler.close();
    expect(runs.length).toBeGreaterThan(100);
    expect(runs.length).toBeLessThanOrEqual(122);
    const last = runs.at(-1);
    expect(Math.abs((last?.startedMs ?? 0) - wall)).toBeLessThan(20_000);
  }
});

it("keeps the server's time once it was told, whatever is done to the wall clock", async () => {
  const { clock } = open();
  clock.tell(START + 3_600_000);
  expect(clock.now()).toBe(START + 3_600_000);
  expect(clock.skewMs()).toBe(-3_600_000);
  wall -= 86_400_000;
  monotonic += 1000;
  clock.look();
  expect(clock.now()).toBe(START + 3_601_000);
});

it('bounds what runs at once, and lets every owner have its turn', async () => {
  const { scheduler, runs, most } = open({ durationMs: 3000, caps: { ...LANE_CAPS, tcp: 4 } });
  scheduler.change('many', { put: Array.from({ length: 100 }, (_, n) => plannedTest(n, { interval_seconds: 10 })), remove: [] });
  scheduler.change('few', { put: [plannedTest(1000, { interval_seconds: 10 })], remove: [] });
  await pass(60_000);
  scheduler.close();
  expect(most()).toBe(4);
  // One place is left to it, so that it waits for nobody.
  expect(runs.filter(({ owner }) => owner === 'few')).toHaveLength(6);
  expect(runs.filter(({ owner }) => owner === 'few').every(({ leftOut }) => leftOut === 0)).toBe(true);
  expect(runs.filter(({ owner }) => owner === 'many').length).toBeGreaterThan(50);
});

it('ends the run of a test that is taken out, and takes no other owner’s', async () => {
  const { scheduler, runs, aborted } = open({ durationMs: 20_000 });
  const { test } = plannedTest(1, { interval_seconds: 1 });
  scheduler.change('t', { put: [{ test, secrets: [] }], remove: [] });
  await pass(1500);
  expect(runs).toHaveLength(1);
  scheduler.change('other', { put: [], remove: [test.id] });
  expect(aborted).toEqual([]);
  scheduler.change('t', { put: [], remove: [test.id] });
  expect(aborted).toEqual([test.id]);
  await pass(30_000);
  expect(runs).toHaveLength(1);
  expect(scheduler.size()).toBe(0);
});

it('takes 10,000 tests at once without a pause and without a burst', async () => {
  const { scheduler, runs } = open();
  const put = Array.from({ length: 10_000 }, (_, n) => plannedTest(n));
  const began = performance.now();
  scheduler.change('t', { put, remove: [] });
  expect(performance.now() - began).toBeLessThan(1000);
  await pass(1000);
  expect(runs.length).toBeLessThan(300);
  await pass(59_000);
  expect(runs).toHaveLength(10_000);
  scheduler.change('t', { put: [], remove: put.map(({ test }) => test.id) });
  expect(scheduler.size()).toBe(0);
  scheduler.close();
});

it('finds the next slot strictly after an instant', () => {
  expect(nextSlot(0, 0, 1000)).toBe(1000);
  expect(nextSlot(999, 0, 1000)).toBe(1000);
  expect(nextSlot(1000, 300, 1000)).toBe(1300);
  expect(nextSlot(1300, 300, 1000)).toBe(2300);
});
