import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import { TestSpec } from '@svc/contracts/tests/test';
import { describe, expect, it } from 'vitest';
import { parseTenantId } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { findTestEvidence } from './evidence.ts';
import type { FullHead, RunsOfTests, ShownRun } from './runs-port.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SINCE = Date.parse('2026-11-26T12:00:00Z');
const question: EvidenceQuestion = {
  ...{ target: 'shop.example', prefix: null, site: null, testIds: ['a'], services: [] },
  ...{ fromMs: SINCE - 2 * HOUR_MS, sinceMs: SINCE, toMs: SINCE + HOUR_MS },
};
const at = new Date(SINCE - 30 * DAY_MS).toISOString();
const test = {
  ...TestSpec.parse({ name: 'page', type: 'https', target: 'https://shop.example/' }),
  ...{ id: 'a', version: 1, created_by: 'ann', created_at: at, updated_at: at },
};

/** Of a runner whose last certificate ends in two days, and was seen and changed then. */
function head(
  runnerId: string,
  { seenMs, changedMs, lastMs }: { seenMs: number; changedMs?: number; lastMs?: number },
): FullHead {
  const endsMs = SINCE + 2 * DAY_MS;
  return {
    ...{ testId: 'a', runnerId, lastAtMs: lastMs ?? seenMs, certificateSeenMs: seenMs, certificateEndsMs: endsMs },
    certificateChangedAtMs: changedMs,
    certificate: { not_after: new Date(endsMs).toISOString(), trusted: true, name_matches: true },
  } as FullHead;
}

async function factsOf(runs: Partial<RunsOfTests>) {
  const nothing = { headsOf: async () => [], whole: async () => new Map(), runs: async () => [] };
  const deps = {
    tests: () => ({ read: async () => ({ list: [test] }) }),
    listRunners: async () => [],
    runs: { ...nothing, ...runs },
  } as unknown as TestPagesDeps;
  return (await findTestEvidence(deps, parseTenantId('acme'), question)).facts;
}

const certificatesOf = async (...heads: FullHead[]) =>
  (await factsOf({ headsOf: async () => heads })).filter(({ kind }) => kind === 'test.certificate');

it('tells of a certificate that is about to end and was seen at that time', async () => {
  expect(await certificatesOf(head('b', { seenMs: SINCE + HOUR_MS / 2 }))).toHaveLength(1);
  expect(await certificatesOf(head('b', { seenMs: SINCE + 9 * HOUR_MS }))).toHaveLength(1);
});

it('cites none that nobody saw any more: of a runner that is gone, and of a host that the test asks no more', async () => {
  expect(await certificatesOf(head('gone', { seenMs: SINCE - 3 * DAY_MS }))).toEqual([]);
  expect(await certificatesOf(head('b', { seenMs: SINCE - 3 * DAY_MS, lastMs: SINCE }))).toEqual([]);
});

it('cites none that came after that time', async () => {
  const hoursLater = SINCE + 5 * HOUR_MS;
  expect(await certificatesOf(head('b', { seenMs: hoursLater, changedMs: hoursLater }))).toEqual([]);
});

describe('of a test with more runs than are looked at', () => {
  /** A run each second before the end of the window, the newest first; a bound is kept as the store keeps it. */
  const secondly = (count: number, success: (ago: number) => boolean): Partial<RunsOfTests> => {
    const run = (ago: number): ShownRun => ({
      ...{ resultId: `r${ago}`, runnerId: 'b', startedAtMs: question.toMs - ago * 1000, success: success(ago), error: undefined },
      ...{ fault: success(ago) ? undefined : 'refused', phases: {}, totalMs: 5, onDemand: false },
    });
    const all = Array.from({ length: count }, (_, ago) => run(ago));
    const failed = all.filter((one) => !one.success);
    const oldest = failed.at(-1)?.startedAtMs ?? 0;
    return {
      runs: async (_tenant, _test, { limit }) => all.slice(0, limit),
      outcomes: async () => new Map([['a', { failed: failed.length, passed: all.length - failed.length }]]),
      steps: async (_tenant, { stepMs }) =>
        [
          { atMs: question.sinceMs, failed: 0 },
          { atMs: oldest - (oldest % stepMs), failed: 1 },
        ] as never,
    };
  };

  it('counts all of them, knows when they began to fail, and says of how many it tells why', async () => {
    const [fact] = await factsOf(secondly(3000, (ago) => ago >= 1200));
    expect(fact).toMatchObject({ failed: 1200, passed: 1800, lookedAt: 200, fault: 'refused', failingFrom: ['b'] });
    // To the step, of which an hour has 240.
    expect(Math.abs((fact?.atMs ?? 0) - (question.toMs - 1200_000))).toBeLessThanOrEqual(15_100);
  });

  it('says nothing of it where all of them are looked at', async () => {
    expect(await factsOf(secondly(199, () => false))).toMatchObject([{ failed: 199, passed: 0, lookedAt: null }]);
  });
});
