import { expect, it } from 'vitest';
import { confirmWait, connectorWait, messageWait } from './waits.ts';

const none = () => 0;
const MINUTE_MS = 60_000;

it('a message waits twice as long each time, half an hour at most, and as long as it is asked to, an hour at most', () => {
  expect([1, 2, 3, 9, 10, 50].map((attempts) => messageWait(attempts, null, none) / 1000)).toEqual([5, 10, 20, 1280, 1800, 1800]);
  expect(messageWait(1, 17 * MINUTE_MS, none)).toBe(17 * MINUTE_MS);
  expect(messageWait(1, 5 * 60 * MINUTE_MS, none)).toBe(60 * MINUTE_MS);
  expect(messageWait(1, null, () => 1)).toBe(6000);
});

it('a connector that fails is asked again within a minute', () => {
  expect([1, 2, 7, 100].map((failures) => connectorWait(failures, null, none) / 1000)).toEqual([1, 2, 60, 60]);
});

it('a provider is asked what became of a request for some minutes', () => {
  expect([0, 1000, 100_000, 200_000].map((since) => confirmWait(since, null))).toEqual([1000, 2000, 200_000, undefined]);
});
