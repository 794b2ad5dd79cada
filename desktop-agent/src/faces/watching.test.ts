import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWatching } from './watching.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('tells at once, gathers what follows, and never more than four times a second', () => {
  const send = vi.fn();
  const watching = createWatching(send, () => true);
  watching.changed();
  watching.changed();
  vi.advanceTimersByTime(1);
  expect(send).toHaveBeenCalledTimes(1);
  for (let ms = 0; ms < 10_000; ms += 10) {
    watching.changed();
    vi.advanceTimersByTime(10);
  }
  expect(send.mock.calls.length).toBeGreaterThan(35);
  expect(send.mock.calls.length).toBeLessThanOrEqual(42);
  const last = send.mock.calls.length;
  watching.changed();
  vi.advanceTimersByTime(1000);
  expect(send).toHaveBeenCalledTimes(last + 1);
  watching.close();
  watching.changed();
  vi.advanceTimersByTime(1000);
  expect(send).toHaveBeenCalledTimes(last + 1);
});

it('does nothing while nobody watches', () => {
  const send = vi.fn();
  let isWatched = false;
  const watching = createWatching(send, () => isWatched);
  watching.changed();
  vi.advanceTimersByTime(1000);
  expect([send.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0]);
  isWatched = true;
  watching.changed();
  isWatched = false;
  vi.advanceTimersByTime(1000);
  expect(send).not.toHaveBeenCalled();
});
