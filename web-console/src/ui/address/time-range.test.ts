import { describe, expect, it } from 'vitest';
import { keepRange } from './keep-range.ts';
import {
  decodeRange,
  faultOf,
  fitRange,
  type RangeRule,
  type RangeSearch,
  rangeReaching,
  readInstant,
  windowOf,
} from './time-range.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-21T12:00:00Z');
const LOGS: RangeRule = { names: ['15m', '1h', '6h', '24h', '7d'], usual: '1h', longestMs: 31 * DAY };
const DEVICE: RangeRule = { names: ['1h', '6h', '24h', '7d'], usual: '24h', longestMs: 31 * DAY, shortestMs: 300_000 };
const WINDOW = { from: '2026-11-20T10:00:00Z', to: '2026-11-20T11:00:00Z' };

describe('a range in the address', () => {
  it('is taken as far as the page knows it', () => {
    expect(decodeRange({ range: '7d' }, LOGS)).toEqual({ range: '7d' });
    expect(decodeRange({ range: '1h' }, LOGS)).toEqual({ range: '1h' });
    expect(decodeRange({ range: '6h', ...WINDOW }, LOGS)).toEqual({ range: '6h', ...WINDOW });
    for (const range of ['99d', '30d', 'toString', 'constructor', '']) expect(decodeRange({ range }, LOGS)).toEqual({});
  });

  it('has a window only of two RFC 3339 instants in order and within the bounds of the page', () => {
    for (const window of [
      { from: WINDOW.to, to: WINDOW.from },
      { from: WINDOW.from },
      { from: '2026-11-20', to: '2026-11-21' },
      { from: '12', to: '13' },
      { from: '2026-09-01T00:00:00Z', to: '2026-11-20T00:00:00Z' },
    ])
      expect(decodeRange(window, LOGS)).toEqual({});
    expect(decodeRange({ from: '2026-11-20T10:00:00Z', to: '2026-11-20T10:01:00Z' }, DEVICE)).toEqual({});
    expect(readInstant('2026-11-20T10:00:00+02:00')).toBe(Date.parse('2026-11-20T08:00:00Z'));
  });

  it('has no window that has not begun, and none before what the page goes back to', () => {
    const at = (ms: number): string => new Date(ms).toISOString();
    const window = (from: number) => ({ from: at(from), to: at(from + HOUR) });
    const REACHING: RangeRule = { ...DEVICE, reachMs: 7 * DAY };
    for (const from of [NOW + 30 * DAY, NOW - 8 * DAY, NOW - 7 * DAY - HOUR])
      expect(decodeRange(window(from), REACHING, NOW)).toEqual({});
    for (const from of [NOW - HOUR, NOW - 7 * DAY - HOUR / 2, NOW + 60_000])
      expect(decodeRange(window(from), REACHING, NOW)).toEqual(window(from));
    expect(decodeRange(window(NOW - 900 * DAY), DEVICE, NOW)).toEqual(window(NOW - 900 * DAY));
  });

  it('is the window where there is one, else the range up to now, else the usual one', () => {
    expect(windowOf({ range: '15m', ...WINDOW }, '1h', NOW)).toEqual(WINDOW);
    expect(windowOf({ range: '15m' }, '1h', NOW).from).toBe('2026-11-21T11:45:00.000Z');
    expect(windowOf({}, '1h', NOW)).toEqual({ from: '2026-11-21T11:00:00.000Z', to: '2026-11-21T12:00:00.000Z' });
  });

  it('reaches back to where its window begins', () => {
    expect(rangeReaching({}, DEVICE, NOW)).toBe('24h');
    expect(rangeReaching({ range: '1h' }, DEVICE, NOW)).toBe('1h');
    expect(rangeReaching(WINDOW, DEVICE, NOW)).toBe('7d');
    expect(rangeReaching({ from: '2026-10-01T00:00:00Z' }, DEVICE, NOW)).toBe('24h');
  });
});

it('tells why a window cannot be shown', () => {
  const fault = (from: number, to: number, rule = LOGS) => faultOf({ from, to }, rule, NOW);
  expect(fault(NOW - HOUR, NOW)).toBeUndefined();
  expect(fault(Number.NaN, NOW)).toBe('Enter both times.');
  expect(fault(NOW, NOW - HOUR)).toBe('The end must be after the start.');
  expect(fault(NOW - 32 * DAY, NOW)).toBe('The longest window is 31 days.');
  expect(fault(NOW - 60_000, NOW, DEVICE)).toMatch(/^The shortest window is 5.min\.$/);
  expect(fault(NOW - 8 * DAY, NOW, { ...DEVICE, reachMs: 7 * DAY })).toBe('This page goes back 7 days.');
});

describe('a range on the way to another page', () => {
  it('becomes the closest that the page offers', () => {
    expect(fitRange({ range: '15m' }, DEVICE)).toEqual({ range: '1h' });
    expect(fitRange({ range: '13mo' }, LOGS)).toEqual({ range: '7d' });
    expect(fitRange({ range: '6h', ...WINDOW }, DEVICE)).toEqual({ range: '6h', ...WINDOW });
    expect(fitRange({ from: '2026-08-01T00:00:00Z', to: '2026-11-20T00:00:00Z' }, LOGS)).toEqual({
      from: '2026-10-20T00:00:00Z',
      to: '2026-11-20T00:00:00Z',
    });
    expect(fitRange({}, LOGS)).toEqual({});
  });

  const follow = (asked: RangeSearch & { service?: string[] }, here: RangeSearch) =>
    keepRange<RangeSearch & { service?: string[] }>(LOGS)({ search: here, next: () => asked });

  it('goes with every link that names no time', () => {
    expect(follow({ service: ['till'] }, { range: '6h' })).toEqual({ service: ['till'], range: '6h' });
    expect(follow({}, WINDOW)).toEqual(WINDOW);
  });

  it('stays behind where the link has its own, or takes it away', () => {
    expect(follow({ range: '7d' }, WINDOW)).toEqual({ range: '7d' });
    expect(follow({ range: undefined }, { range: '6h' })).toEqual({ range: undefined });
  });
});
