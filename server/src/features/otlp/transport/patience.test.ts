import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPatience } from './patience.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('tells each that is late once, a fifteenth of the limit later at most, and nobody who was taken back', () => {
  const patience = createPatience(15_000);
  const told: string[] = [];
  const wait = (name: string) => {
    const late = () => void told.push(name);
    patience.wait(late);
    return late;
  };
  wait('first');
  const taken = wait('taken');
  vi.advanceTimersByTime(10_000);
  wait('second');
  patience.takeBack(taken);
  vi.advanceTimersByTime(4900);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1100);
  expect(told).toEqual(['first']);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['first', 'second']);
  wait('third');
  patience.close();
  vi.advanceTimersByTime(60_000);
  expect(told).toHaveLength(2);
});
