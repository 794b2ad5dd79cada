import { describe, expect, it } from 'vitest';
import { endOf, isWithin, localTime } from './local-time.ts';
import { decide, fitsGlob, type JudgingRule, matches } from './rules.ts';

const RULE: JudgingRule = {
  ...{ id: 'r1', name: 'all', enabled: true, severity: 'info', severity_most: 'critical', planes: [], targets: [] },
  ...{ sites: [], connectors: [], schedule: null, delay_seconds: 0, quiet: null },
};
const INCIDENT = { severity: 'warning', planes: ['tests'], target: 'shop.example:443', site: 'Berlin' } as const;
/** A Tuesday, 14:00 in Berlin. */
const NOON = Date.UTC(2026, 5, 2, 12);
const HOUR = 3_600_000;

describe('a moment in a time zone', () => {
  it('has the day and the minute of the clock there', () => {
    expect(localTime(NOON, 'Europe/Berlin')).toEqual({ day: 2, minute: 14 * 60 });
    expect(localTime(NOON, 'Asia/Kolkata')).toEqual({ day: 2, minute: 17 * 60 + 30 });
  });

  it('is within a span of the day, also over midnight, until its end', () => {
    const night = { time_zone: 'Europe/Berlin', from: '22:00', to: '06:00' };
    expect(isWithin(night, NOON)).toBe(false);
    expect(isWithin(night, NOON + 8 * HOUR)).toBe(true);
    expect(endOf(night, NOON + 8 * HOUR)).toBe(NOON + 16 * HOUR);
    expect(endOf(night, NOON + 8 * HOUR + 1234)).toBe(NOON + 16 * HOUR);
  });

  it('ends where the clock says so on the night in which clocks change', () => {
    const night = { time_zone: 'Europe/Berlin', from: '22:00', to: '06:00' };
    // Summer time ends on 25 October 2026: that night is an hour longer.
    expect(endOf(night, Date.UTC(2026, 9, 24, 20))).toBe(Date.UTC(2026, 9, 25, 5));
    expect(endOf(night, Date.UTC(2026, 2, 28, 21))).toBe(Date.UTC(2026, 2, 29, 4));
    // 02:30 is left out on that night, and 03:00 is the first moment behind it.
    expect(endOf({ ...night, to: '02:30' }, Date.UTC(2026, 2, 28, 21))).toBe(Date.UTC(2026, 2, 29, 1));
    expect(endOf({ ...night, to: '22:00' }, Date.UTC(2026, 2, 28, 21))).toBe(Date.UTC(2026, 2, 29, 20));
  });
});

describe('a rule', () => {
  it.each([
    ['shop.example:443', true],
    ['SHOP.*', true],
    ['*.example:443', true],
    ['*', true],
    ['shop', false],
    ['*shop', false],
    ['s*e*3', true],
    ['shop.example:443*443', false],
  ])('with the target %s: %s', (glob, fits) => {
    expect(fitsGlob(glob, 'shop.example:443')).toBe(fits);
  });

  it('is about incidents of its severity, planes, targets and sites', () => {
    expect(matches(RULE, INCIDENT, NOON)).toBe(true);
    expect(matches({ ...RULE, severity: 'critical' }, INCIDENT, NOON)).toBe(false);
    expect(matches({ ...RULE, severity_most: 'info' }, INCIDENT, NOON)).toBe(false);
    expect(matches({ ...RULE, severity: 'warning', severity_most: 'warning' }, INCIDENT, NOON)).toBe(true);
    expect(matches({ ...RULE, planes: ['rum'] }, INCIDENT, NOON)).toBe(false);
    expect(matches({ ...RULE, sites: ['berlin'] }, INCIDENT, NOON)).toBe(true);
    expect(matches({ ...RULE, sites: ['*'] }, { ...INCIDENT, site: null }, NOON)).toBe(false);
  });

  it('with a schedule holds then alone; the night belongs to the evening before', () => {
    const schedule = { time_zone: 'Europe/Berlin', days: [2], from: '22:00', to: '06:00' };
    expect(matches({ ...RULE, schedule }, INCIDENT, NOON)).toBe(false);
    expect(matches({ ...RULE, schedule }, INCIDENT, NOON + 10 * HOUR)).toBe(true);
    expect(matches({ ...RULE, schedule }, INCIDENT, NOON + 14 * HOUR)).toBe(true);
    expect(matches({ ...RULE, schedule }, INCIDENT, NOON - 14 * HOUR)).toBe(false);
  });

  it('with quiet hours lets what is not critical wait until they end', () => {
    const quiet = { time_zone: 'Europe/Berlin', from: '13:00', to: '15:00' };
    const of = (severity: 'warning' | 'critical') =>
      decide([{ ...RULE, quiet }], { ...INCIDENT, severity }, { connectors: ['a'], atMs: NOON }).get('a')?.dueMs;
    expect([of('warning'), of('critical')]).toEqual([NOON + HOUR, NOON]);
  });
});

describe('several rules', () => {
  it('tell each connector at the earliest of them; those that are off and connectors that are gone do not count', () => {
    const rules = [
      { ...RULE, id: 'slow', delay_seconds: 600, connectors: ['a', 'gone'] },
      { ...RULE, id: 'fast', delay_seconds: 60, connectors: ['a'] },
      { ...RULE, id: 'off', enabled: false },
    ];
    expect([...decide(rules, INCIDENT, { connectors: ['a', 'b'], atMs: NOON })]).toEqual([
      ['a', { dueMs: NOON + 60_000, rule: 'fast' }],
    ]);
  });

  it('that are all off tell as if there were none', () => {
    expect(decide([{ ...RULE, enabled: false }], INCIDENT, { connectors: ['a'], atMs: NOON }).get('a')).toEqual({
      dueMs: NOON,
      rule: null,
    });
  });
});
