import { describe, expect, it } from 'vitest';
import { judgeTests, judgeUsers, verdictOf } from './judge.ts';

const users = (views: number, hurt: number, p75LcpMs?: number) => judgeUsers({ views, hurt, affected: hurt, p75LcpMs });
const runs = (passed: number, failed: number) => judgeTests({ passed, failed, failing: [] });

describe('users hurt', () => {
  it.each([
    ['at 10 % of 20 views', users(20, 2), [true, ['errors']]],
    ['under 10 %', users(21, 2), [false, []]],
    ['not of 19 views, whatever they say', users(19, 19, 60_000), [false, []]],
    ['from p75 LCP of 4 s on', users(20, 0, 4000), [true, ['lcp']]],
    ['not under it', users(20, 0, 3999.9), [false, []]],
    ['by both', users(100, 50, 9000), [true, ['errors', 'lcp']]],
    ['not without any view', users(0, 0), [false, []]],
  ])('%s', (_, half, judged) => {
    expect([half.degraded, half.by]).toEqual(judged);
  });

  it('says nothing of fewer than 20 views but that', () => {
    expect(users(19, 19, 60_000)).toMatchObject({ sufficient: false, error_rate: null, p75_lcp_ms: null, views: 19 });
  });
});

describe('tests are red', () => {
  it.each([
    ['at half of two runs', runs(1, 1), true],
    ['not at one run', runs(0, 1), false],
    ['not under a half', runs(2, 1), false],
    ['not without runs', runs(0, 0), false],
    ['not without tests', judgeTests(undefined), false],
  ])('%s', (_, half, degraded) => expect(half.degraded).toBe(degraded));

  it('tells a host that no test watches from one whose tests have not run', () => {
    expect([judgeTests(undefined).tested, runs(0, 0).tested]).toEqual([false, true]);
  });
});

it.each([
  [false, false, 'healthy'],
  [true, true, 'user_impact_confirmed'],
  [false, true, 'synthetic_only_no_user_impact'],
  [true, false, 'user_only_synthetic_blind'],
])('hurt %s and red %s is %s', (hurt, red, verdict) => {
  expect(verdictOf({ degraded: hurt, sufficient: true }, { degraded: red })).toBe(verdict);
});

it('of too few views the verdict is healthy, and is not sufficient', () => {
  expect(verdictOf({ degraded: false, sufficient: false }, { degraded: true })).toBe('healthy');
});
