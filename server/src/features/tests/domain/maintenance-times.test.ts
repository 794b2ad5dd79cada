import type { MaintenanceTimes } from '@svc/contracts/tests/keeping';
import { describe, expect, it } from 'vitest';
import { isActive, nextSpan } from './maintenance-times.ts';
import { isZone } from './zone-times.ts';

const weekly = (weekdays: number[], from: string, minutes: number): MaintenanceTimes => ({
  ...{ repeat: 'weekly', weekdays, from, duration_minutes: minutes },
});
const next = (times: MaintenanceTimes, zone: string, at: string): string[] | undefined => {
  const span = nextSpan(times, zone, Date.parse(at));
  return span && [span.fromMs, span.toMs].map((ms) => new Date(ms).toISOString().replace(':00.000Z', 'Z'));
};

describe('a weekly window', () => {
  // 2026-11-25 is a Wednesday.
  it.each([
    ['later today', weekly([3], '22:30', 60), 'Europe/Berlin', '2026-11-25T12:00Z', '2026-11-25T21:30Z', '2026-11-25T22:30Z'],
    ['now', weekly([3], '22:30', 60), 'Europe/Berlin', '2026-11-25T22:00Z', '2026-11-25T21:30Z', '2026-11-25T22:30Z'],
    ['next week', weekly([3], '22:30', 60), 'Europe/Berlin', '2026-11-25T22:30Z', '2026-12-02T21:30Z', '2026-12-02T22:30Z'],
    [
      'over midnight',
      weekly([7], '23:00', 180),
      'America/New_York',
      '2026-11-23T05:00Z',
      '2026-11-23T04:00Z',
      '2026-11-23T07:00Z',
    ],
    ['all week', weekly([1], '00:00', 10_080), 'UTC', '2026-11-29T23:59Z', '2026-11-23T00:00Z', '2026-11-30T00:00Z'],
    ['half an hour off', weekly([3], '06:15', 30), 'Asia/Kolkata', '2026-11-25T00:00Z', '2026-11-25T00:45Z', '2026-11-25T01:15Z'],
    // Sunday 2026-03-29: 02:00 becomes 03:00 in Berlin.
    [
      'before clocks go forward',
      weekly([6], '02:30', 60),
      'Europe/Berlin',
      '2026-03-28T00:00Z',
      '2026-03-28T01:30Z',
      '2026-03-28T02:30Z',
    ],
    [
      'at a time that is left out',
      weekly([7], '02:30', 60),
      'Europe/Berlin',
      '2026-03-29T00:00Z',
      '2026-03-29T01:30Z',
      '2026-03-29T02:30Z',
    ],
    [
      'after clocks went forward',
      weekly([7], '03:30', 60),
      'Europe/Berlin',
      '2026-03-29T00:00Z',
      '2026-03-29T01:30Z',
      '2026-03-29T02:30Z',
    ],
    // Sunday 2026-10-25: 03:00 becomes 02:00.
    [
      'at a time that is there twice',
      weekly([7], '02:30', 60),
      'Europe/Berlin',
      '2026-10-24T22:30Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:30Z',
    ],
    [
      'over the hour that is there twice',
      weekly([7], '01:30', 120),
      'Europe/Berlin',
      '2026-10-25T00:00Z',
      '2026-10-24T23:30Z',
      '2026-10-25T01:30Z',
    ],
  ])('%s', (...[, times, zone, at, from, to]) => {
    expect(next(times, zone, at)).toEqual([from, to]);
  });

  it('begins with its first minute and ends before its last', () => {
    const times = weekly([3], '22:30', 60);
    const active = (at: string) => isActive(times, 'Europe/Berlin', Date.parse(at));
    expect([
      active('2026-11-25T21:29:59Z'),
      active('2026-11-25T21:30Z'),
      active('2026-11-25T22:29:59Z'),
      active('2026-11-25T22:30Z'),
    ]).toEqual([false, true, true, false]);
  });
});

it('a window of once is over after its end', () => {
  const times: MaintenanceTimes = { repeat: 'once', from: '2026-11-25T10:00:00Z', to: '2026-11-25T11:00:00Z' };
  expect(next(times, 'UTC', '2026-11-25T09:00Z')).toEqual(['2026-11-25T10:00Z', '2026-11-25T11:00Z']);
  expect(isActive(times, 'UTC', Date.parse('2026-11-25T10:30Z'))).toBe(true);
  expect(next(times, 'UTC', '2026-11-25T11:00Z')).toBeUndefined();
});

it('knows which zones there are', () => {
  expect([isZone('Europe/Lisbon'), isZone('Mars/Olympus'), isZone('')]).toEqual([true, false, false]);
});
