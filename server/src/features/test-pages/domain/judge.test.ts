import { TestSpec } from '@svc/contracts/tests/test';
import { describe, expect, it } from 'vitest';
import { type Head, judgeTest } from './judge.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const MINUTE_MS = 60_000;
const at = new Date(NOW - 60 * MINUTE_MS).toISOString();
const test = {
  ...TestSpec.parse({ name: 'page', type: 'browser', target: 'https://shop.example/' }),
  ...{ id: 'a', version: 1, created_by: 'ann', created_at: at, updated_at: at },
};
const runners = [{ id: 'built-in', name: 'built-in', labels: {}, connected: true, lacks: {} }];
const times = { nowMs: NOW, intervals: 3, leastMs: 5 * MINUTE_MS };
const head = (more: Partial<Head>): Head => ({
  ...{ testId: 'a', runnerId: 'built-in', lastAtMs: NOW - MINUTE_MS, measuredAtMs: NOW - MINUTE_MS, lastFault: undefined },
  ...{ lastSucceeded: true, failing: false, sinceMs: NOW - 30 * MINUTE_MS },
  ...more,
});
const judge = (one: Head | undefined, heldBack = false) => {
  const { state, reason } = judgeTest(test, { heads: one ? [one] : [], runners, times, heldBack });
  return [state, reason];
};

describe('a fault of the runner itself', () => {
  const internal = { lastFault: 'internal', lastSucceeded: false } as const;

  it('changes nothing while something else was measured a moment ago', () => {
    expect(judge(head({ ...internal, measuredAtMs: NOW - 2 * MINUTE_MS }))).toEqual(['passing', undefined]);
    expect(judge(head({ ...internal, measuredAtMs: NOW - 2 * MINUTE_MS, failing: true }))).toEqual(['failing', undefined]);
  });

  it('is why the test does not run once nothing else has come', () => {
    expect(judge(head({ ...internal, measuredAtMs: NOW - 6 * MINUTE_MS }))).toEqual(['not_running', 'runner_fault']);
    expect(judge(head({ ...internal, measuredAtMs: undefined }))).toEqual(['not_running', 'runner_fault']);
  });
});

describe('a test of any runner that goes to another one', () => {
  const [gone, here] = ['gone', 'here'].map((id) => ({ ...{ id, name: id, labels: {}, lacks: {} }, connected: id === 'here' }));
  const moved = (ranMinutesAgo: number, own?: Head) => {
    const lastAtMs = NOW - ranMinutesAgo * MINUTE_MS;
    const former = head({ runnerId: 'gone', failing: true, lastAtMs, measuredAtMs: lastAtMs });
    const heads = own ? [former, own] : [former];
    const facts = { runners: [gone, here].flatMap((one) => one ?? []), times, heldBack: false };
    const { state, sinceMs } = judgeTest(test, { heads, ...facts });
    return [state, sinceMs];
  };
  const ofLastWeek = NOW - 7 * 24 * 60 * MINUTE_MS;

  it('has had no time to run there', () => {
    expect(moved(1)).toEqual(['new', undefined]);
    expect(moved(1, head({ runnerId: 'here', failing: true, lastAtMs: ofLastWeek }))).toEqual(['new', undefined]);
  });

  it('does not run since its last run anywhere', () => {
    expect(moved(6)).toEqual(['not_running', NOW - 6 * MINUTE_MS]);
    expect(moved(6, head({ runnerId: 'here', lastAtMs: ofLastWeek }))).toEqual(['not_running', NOW - 6 * MINUTE_MS]);
  });
});

it('a runner that was enrolled a moment ago has had no time to run what it is for', () => {
  const enrolled = (minutesAgo: number) => runners.map((one) => ({ ...one, sinceMs: NOW - minutesAgo * MINUTE_MS }));
  const stateAt = (minutesAgo: number) =>
    judgeTest(test, { heads: [], runners: enrolled(minutesAgo), times, heldBack: false }).state;
  expect([stateAt(1), stateAt(6)]).toEqual(['new', 'not_running']);
});

describe('a test that is resumed', () => {
  const resumed = (minutesAgo: number, one: Head) => {
    const now = { ...test, updated_at: new Date(NOW - minutesAgo * MINUTE_MS).toISOString() };
    const { state, sinceMs } = judgeTest(now, { heads: [one], runners, times, heldBack: false });
    return [state, sinceMs];
  };
  const ofLastWeek = { lastAtMs: NOW - 7 * 24 * 60 * MINUTE_MS, measuredAtMs: NOW - 7 * 24 * 60 * MINUTE_MS };

  it('neither fails nor passes by what it was before its pause', () => {
    expect(resumed(1, head({ ...ofLastWeek, failing: true }))).toEqual(['new', undefined]);
    expect(resumed(1, head(ofLastWeek))).toEqual(['new', undefined]);
  });

  it('was not the same before a pause of a moment either', () => {
    const pausedShortly = (lastMinutesAgo: number) =>
      resumed(1, head({ failing: true, lastAtMs: NOW - lastMinutesAgo * MINUTE_MS, resumedAtMs: NOW - MINUTE_MS }));
    expect(pausedShortly(2)).toEqual(['new', undefined]);
    expect(pausedShortly(0)).toEqual(['failing', NOW - 30 * MINUTE_MS]);
  });

  it('is not running once no run comes in its time', () => {
    expect(resumed(6, head({ ...ofLastWeek, failing: true }))).toEqual(['not_running', ofLastWeek.lastAtMs]);
  });

  it('goes on failing where it was changed between two runs', () => {
    expect(resumed(0, head({ failing: true }))).toEqual(['failing', NOW - 30 * MINUTE_MS]);
  });
});

describe('a test that is silent', () => {
  const silent = { lastAtMs: NOW - 10 * MINUTE_MS, measuredAtMs: NOW - 10 * MINUTE_MS };

  it('is late, or held back by the rates where they leave no room for it', () => {
    expect(judge(head(silent))).toEqual(['not_running', 'late']);
    expect(judge(head(silent), true)).toEqual(['not_running', 'rate']);
    expect(judge(undefined, true)).toEqual(['not_running', 'rate']);
  });

  it('is what its runs say as long as they come, held back or not', () => {
    expect(judge(head({}), true)).toEqual(['passing', undefined]);
  });
});
