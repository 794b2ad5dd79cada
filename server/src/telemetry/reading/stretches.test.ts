import { expect, test } from 'vitest';
import { stretchesOf } from './stretches.ts';

const MINUTE = 60_000;
const inMinutes = (fromMs: number, toMs: number) =>
  stretchesOf({ fromMs: fromMs * MINUTE, toMs: toMs * MINUTE }).map(({ fromMs: from, toMs: to }) => [from / MINUTE, to / MINUTE]);

test('the newest first, each longer than the one before, together the whole window', () => {
  expect(inMinutes(0, 1440)).toEqual([
    [1425, 1440],
    [1320, 1425],
    [0, 1320],
  ]);
  expect(inMinutes(0, 15 * 1440).map(([from]) => from)).toEqual([21_585, 21_480, 20_160, 12_960, 0]);
});

test('a short window is one stretch, an empty one is none', () => {
  expect(inMinutes(100, 120)).toEqual([[100, 120]]);
  expect(inMinutes(100, 100)).toEqual([]);
  expect(inMinutes(100, 90)).toEqual([]);
});
