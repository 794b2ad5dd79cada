import { expect, it } from 'vitest';
import { isClock, readClock } from './clock.ts';

it.each([
  ['8', '08:00'],
  ['08', '08:00'],
  ['830', '08:30'],
  ['8.30', '08:30'],
  ['08:30', '08:30'],
  ['23h59', '23:59'],
  ['0:00', '00:00'],
])('%s is %s', (typed, clock) => {
  expect(readClock(typed)).toBe(clock);
  expect(isClock(readClock(typed))).toBe(true);
});

it.each(['', '24:00', '8:60', '8:3', '8 pm', '12345'])('%j is no time of day, and stays as it is typed', (typed) => {
  expect(readClock(typed)).toBe(typed);
  expect(isClock(readClock(typed))).toBe(false);
});
