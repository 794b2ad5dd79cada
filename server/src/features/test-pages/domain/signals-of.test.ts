import { TestSpec } from '@svc/contracts/tests/test';
import { expect, it } from 'vitest';
import { judgeTest } from './judge.ts';
import { certificateEnds, certificateSignal, failingSignal } from './signals-of.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const at = new Date(NOW - 30 * DAY_MS).toISOString();
const test = {
  ...TestSpec.parse({ name: 'page', type: 'https', target: 'https://shop.example/' }),
  ...{ id: 'a', version: 1, created_by: 'ann', created_at: at, updated_at: at },
};
const runners = [{ id: 'built-in', name: 'built-in', labels: {}, connected: true, lacks: {} }];
const times = { nowMs: NOW, intervals: 3, leastMs: 5 * MINUTE_MS };
const settings = { certificate_warning_days: 21, certificate_critical_days: 7 };

/** What is told of a certificate of five days more by a test that still runs. */
const tell = (certificateSeenMs: number | undefined) => {
  const head = {
    ...{ testId: 'a', runnerId: 'built-in', lastAtMs: NOW - MINUTE_MS, measuredAtMs: NOW - MINUTE_MS, lastSucceeded: false },
    ...{ lastFault: 'refused' as const, failing: true, sinceMs: NOW - 3 * DAY_MS },
    ...{ certificateEndsMs: NOW + 5 * DAY_MS, certificateSeenMs },
  };
  const judgement = judgeTest(test, { heads: [head], runners, times, heldBack: false });
  return certificateSignal({ test, nowMs: NOW }, certificateEnds(judgement), settings)?.title;
};

it('tells of a certificate for two days after a run that showed it, and no longer because other runs go on', () => {
  expect(tell(NOW - DAY_MS)).toBe('The certificate of page expires in 5 days');
  expect(tell(NOW - 3 * DAY_MS)).toBeUndefined();
  expect(tell(undefined)).toBeUndefined();
});

it('tells of a failing test what was wanted and what came, bounded and on one line, where its runs say it', () => {
  const judgement = { state: 'failing' as const, reason: undefined, sinceMs: NOW, runners: [] };
  const told = (cause: string | undefined) =>
    failingSignal({ test, judgement, sentence: 'Fails.', cause, nameOf: (id) => id, nowMs: NOW })?.attributes;
  expect(told('it answers 502, wanted 200')).toMatchObject({ 'test.cause': 'it answers 502, wanted 200' });
  expect(told(`wanted a,\n\u202e got ${'x'.repeat(900)}`)?.['test.cause']).toMatch(/^wanted a, got x{200,}…$/);
  expect(told('x'.repeat(900))?.['test.cause']).toHaveLength(300);
  expect(told(undefined)).not.toHaveProperty('test.cause');
});
