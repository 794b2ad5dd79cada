import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AgentClock } from '../clock.ts';
import type { KeptFile } from '../kept-file.ts';
import { openPause, type Pause } from './pause.ts';

const MINUTE_MS = 60_000;
let date: number;
let steady: number;
let kept: unknown;
let changes: number;
let open: Pause | undefined;
const clock: AgentClock = { now: () => date, steady: () => steady };
const file: KeptFile = {
  read: async () => structuredClone(kept),
  async write(value) {
    kept = structuredClone(value);
  },
};
const start = async (boot = 'first'): Promise<Pause> => {
  open?.close();
  const onChange = (): void => {
    changes += 1;
  };
  open = await openPause({ file, clock, boot, onChange });
  return open;
};
/** Both clocks and the timers go on. */
const pass = (ms: number): void => {
  for (let left = ms; left > 0; left -= 1000) {
    date += Math.min(1000, left);
    steady += Math.min(1000, left);
    vi.advanceTimersByTime(Math.min(1000, left));
  }
};

beforeEach(() => {
  vi.useFakeTimers();
  [date, steady, kept, changes] = [1_790_000_000_000, 5_000_000, undefined, 0];
});
afterEach(() => {
  open?.close();
  open = undefined;
  vi.useRealTimers();
});

it('is in force at once, ends by itself and leaves nothing behind', async () => {
  const pause = await start();
  const begun = pause.begin(15);
  expect(pause.untilMs()).toBe(date + 15 * MINUTE_MS);
  expect(changes).toBe(1);
  await begun;
  pass(15 * MINUTE_MS - 1000);
  expect(pause.untilMs()).toBe(date + 1000);
  pass(1000);
  expect(pause.untilMs()).toBeUndefined();
  expect(changes).toBe(2);
  expect(kept).toBeUndefined();
});

it('is ended by the person, replaced by another, and cut to what policy allows', async () => {
  const pause = await start();
  await pause.begin(60);
  await pause.begin(15);
  expect(pause.untilMs()).toBe(date + 15 * MINUTE_MS);
  await pause.cap(30);
  expect(pause.untilMs()).toBe(date + 15 * MINUTE_MS);
  await pause.cap(5);
  expect(pause.untilMs()).toBe(date + 5 * MINUTE_MS);
  await pause.end();
  expect(pause.untilMs()).toBeUndefined();
  expect(kept).toBeUndefined();
});

it.each([
  ['ahead by a year', 365 * 86_400_000],
  ['back by a year', -365 * 86_400_000],
])('lasts as long as it was meant to when the date jumps %s', async (_, jumpMs) => {
  const pause = await start();
  await pause.begin(60);
  pass(10 * MINUTE_MS);
  date += jumpMs;
  expect(pause.untilMs()).toBe(date + 50 * MINUTE_MS);
  // Also over a restart of the agent.
  const after = await start();
  expect(after.untilMs()).toBe(date + 50 * MINUTE_MS);
  pass(50 * MINUTE_MS);
  expect(after.untilMs()).toBeUndefined();
});

it('goes on while the machine sleeps and ends soon after it woke', async () => {
  const pause = await start();
  await pause.begin(15);
  // Timers stand still, both clocks go on.
  date += 3 * 3_600_000;
  steady += 3 * 3_600_000;
  expect(pause.untilMs()).toBeUndefined();
  pass(15_000);
  expect(changes).toBe(2);
});

it('counts by the date over a reboot', async () => {
  await (await start()).begin(60);
  date += 20 * MINUTE_MS;
  steady = 30_000;
  expect((await start('second')).untilMs()).toBe(date + 40 * MINUTE_MS);
  date += 40 * MINUTE_MS;
  steady = 20_000;
  expect((await start('third')).untilMs()).toBeUndefined();
});

it('is never longer than it was, however often machine and date start anew', async () => {
  await (await start()).begin(60);
  date -= 86_400_000;
  steady = 30_000;
  expect((await start('second')).untilMs()).toBe(date + 60 * MINUTE_MS);
  pass(30 * MINUTE_MS);
  expect((await start('second')).untilMs()).toBe(date + 30 * MINUTE_MS);
});

it.each([
  null,
  7,
  {},
  { lengthMs: 'x', setAtMs: 1, setSteadyMs: 1, boot: 'first' },
  { lengthMs: 1e12, setAtMs: 1, setSteadyMs: 1 },
])('takes a damaged file %j for none', async (value) => {
  kept = value;
  expect((await start()).untilMs()).toBeUndefined();
});

it('is in force though the disk refuses it', async () => {
  const pause = await openPause({
    file: { read: async () => undefined, write: () => Promise.reject(new Error('ENOSPC')) },
    clock,
    boot: 'first',
    onChange: () => undefined,
  });
  await expect(pause.begin(15)).rejects.toThrow('ENOSPC');
  expect(pause.untilMs()).toBe(date + 15 * MINUTE_MS);
  pass(15 * MINUTE_MS);
  expect(pause.untilMs()).toBeUndefined();
});
