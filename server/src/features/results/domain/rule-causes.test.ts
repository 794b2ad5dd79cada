import { expect, test } from 'vitest';
import { spansOf, type Verdict } from './rule-causes.ts';

const MINUTE = 60_000;
const verdicts = (...list: [minute: number, cause: Verdict['cause']][]): Verdict[] =>
  list.map(([minute, cause]) => ({ at: minute * MINUTE, cause }));
const minutes = (spans: ReturnType<typeof spansOf>) =>
  spans.map(({ fromMs, toMs, cause }) => [fromMs / MINUTE, toMs / MINUTE, cause]);

test('joins verdicts of one cause and ends the last one after a round', () => {
  const spans = spansOf(verdicts([0, 'none'], [1, 'none'], [2, 'wifi'], [3, 'wifi'], [4, 'none']), 60 * MINUTE);
  expect(minutes(spans)).toEqual([
    [0, 2, 'none'],
    [2, 4, 'wifi'],
    [4, 5, 'none'],
  ]);
});

test('ends a span at ten minutes of silence, though the cause stays the same', () => {
  const spans = spansOf(verdicts([0, 'isp'], [5, 'isp'], [15, 'isp'], [24.9, 'isp']), 30 * MINUTE);
  expect(minutes(spans)).toEqual([
    [0, 6, 'isp'],
    [15, 30, 'isp'],
  ]);
});

test('is not moved by a verdict that came twice', () => {
  const once = verdicts([0, 'none'], [1, 'wifi'], [2, 'none']);
  expect(
    spansOf(
      [...once, ...once].sort((a, b) => a.at - b.at),
      3 * MINUTE,
    ),
  ).toEqual(spansOf(once, 3 * MINUTE));
  expect(spansOf([], MINUTE)).toEqual([]);
});
