import { expect, test } from 'vitest';
import { checkCells, groupSeries, parseMatch, stepOf } from './plan-range.ts';

const HOUR = 3_600_000;

test.each([
  [HOUR, 60],
  [6 * HOUR, 120],
  [24 * HOUR, 600],
  [30 * 24 * HOUR, 10_800],
  [400 * 24 * HOUR, 7 * 86_400],
])('a window of %d ms has steps of %d s', (toMs, seconds) => expect(stepOf({ fromMs: 0, toMs }, undefined)).toBe(seconds * 1000));

test('refuses more steps and points than one answer holds', () => {
  expect(stepOf({ fromMs: 0, toMs: HOUR }, 1)).toBe(1000);
  expect(() => stepOf({ fromMs: 0, toMs: 24 * HOUR }, 1)).toThrow('at most 11000 steps');
  expect(() => checkCells(1000, { fromMs: 0, toMs: HOUR, stepMs: 10_000 })).toThrow('Choose a larger step');
  expect(() => checkCells(1000, { fromMs: 0, toMs: HOUR, stepMs: 60_000 })).not.toThrow();
});

test('groups series by labels; one that a series does not have is no label of its group', () => {
  const series: { labels: Record<string, string> }[] = [
    { labels: { a: '1', b: 'x' } },
    { labels: { a: '1', b: 'y' } },
    { labels: { b: 'x' } },
  ];
  expect(groupSeries(series, ['a'])).toEqual({ labels: [{ a: '1' }, {}], groupOf: [0, 0, 1] });
  expect(groupSeries(series, [])).toEqual({ labels: [{}], groupOf: [0, 0, 0] });
  expect(groupSeries(series, undefined).groupOf).toEqual([0, 1, 2]);
});

test('reads conditions out of a URL', () => {
  expect(parseMatch('http.route=/a=b')).toEqual({ label: 'http.route', op: '=', values: ['/a=b'] });
  expect(parseMatch('a!=')).toEqual({ label: 'a', op: '!=', values: [''] });
  expect(parseMatch('a=~x|y')).toEqual({ label: 'a', op: '=~', values: ['x|y'] });
  expect(parseMatch('a!~x')).toEqual({ label: 'a', op: '!~', values: ['x'] });
  for (const text of ['a', '=b', '', '!=c']) expect(() => parseMatch(text)).toThrow('Not a condition');
});
