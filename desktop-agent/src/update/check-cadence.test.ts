import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCheckCadence } from './check-cadence.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const minutes = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 60_000);

it('looks soon after the start, then every few hours, not in the same instant as the fleet', async () => {
  const check = vi.fn(async () => undefined);
  const cadence = createCheckCadence({ check, onError: () => undefined, random: () => 0.5 });
  cadence.start();
  await minutes(1.4);
  expect(check).toHaveBeenCalledTimes(0);
  await minutes(0.2);
  expect(check).toHaveBeenCalledTimes(1);
  await minutes(209);
  expect(check).toHaveBeenCalledTimes(1);
  await minutes(2);
  expect(check).toHaveBeenCalledTimes(2);
  cadence.stop();
  await minutes(1000);
  expect(check).toHaveBeenCalledTimes(2);
});

it('backs off while it fails, up to the usual interval, and begins small again', async () => {
  const at: number[] = [];
  let fails = true;
  const faults: unknown[] = [];
  const cadence = createCheckCadence({
    check: async () => {
      at.push(Date.now());
      if (fails) throw new Error('no route');
    },
    onError: (error) => faults.push(error),
    random: () => 1,
  });
  cadence.start();
  await minutes(2 + 1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 240);
  const waits = at.slice(1).map((time, i) => (time - (at[i] ?? 0)) / 60_000);
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 240]);
  expect(faults).toHaveLength(10);
  fails = false;
  await minutes(240);
  fails = true;
  await minutes(180 + 1);
  expect((at.at(-1) ?? 0) - (at.at(-2) ?? 0)).toBe(60_000);
  cadence.stop();
});
