import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createCadence } from './cadence.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('comes at its interval with jitter, follows a change, and survives a failing turn', async () => {
  const at: number[] = [];
  const errors: unknown[] = [];
  let intervalMs = 60_000;
  const start = performance.now();
  const cadence = createCadence({
    intervalMs: () => intervalMs,
    run: async () => {
      at.push(performance.now() - start);
      if (at.length === 2) throw new Error('no route');
    },
    onError: (error) => errors.push(error),
    random: () => 1,
  });
  cadence.start(1000);
  await vi.advanceTimersByTimeAsync(130_000);
  expect(at).toEqual([1000, 64_000, 127_000]);
  expect(errors).toHaveLength(1);
  intervalMs = 6000;
  await vi.advanceTimersByTimeAsync(63_000 + 6300);
  expect(at).toHaveLength(5);
  await cadence.stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(at).toHaveLength(5);
});

it('is not moved by a jump of the date', async () => {
  let turns = 0;
  const run = async (): Promise<void> => {
    turns += 1;
  };
  const cadence = createCadence({ intervalMs: () => 60_000, run, onError: () => undefined, random: () => 0.5 });
  cadence.start(0);
  await vi.advanceTimersByTimeAsync(10);
  vi.setSystemTime(Date.now() + 86_400_000);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(turns).toBe(1);
  vi.setSystemTime(Date.now() - 10 * 86_400_000);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(turns).toBe(2);
  await cadence.stop();
});

it('never runs two turns at once, and stop waits for the one under way', async () => {
  let open = 0;
  let most = 0;
  const run = async (): Promise<void> => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setTimeout(resolve, 25_000));
    open -= 1;
  };
  const cadence = createCadence({ intervalMs: () => 10_000, run, onError: () => undefined });
  cadence.start(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(most).toBe(1);
  const stopped = cadence.stop();
  await vi.advanceTimersByTimeAsync(30_000);
  await stopped;
  expect(open).toBe(0);
});
