import type { TestSettings } from '@svc/contracts/tests/keeping';
import type { KnownRunner } from '@svc/contracts/tests/runner';
import type { Test } from '@svc/contracts/tests/test';
import type { TenantId } from '#kernel';
import type { Subject, TestPagesDeps } from './context.ts';
import { type Judgement, type JudgeTimes, judgeTest } from './domain/judge.ts';
import type { RunHead } from './runs-port.ts';

/** Everything that a tenant's tests are judged by, read together. */
export interface TenantFacts {
  tests: readonly Test[];
  runners: readonly KnownRunner[];
  settings: TestSettings;
  heads: ReadonlyMap<string, readonly RunHead[]>;
  times: JudgeTimes;
  isMaintained: (subject: Subject, atMs: number) => boolean;
  /** Ids of those that the rates of tenant or host leave no room for. */
  heldBack: ReadonlySet<string>;
}

export const timesOf = (settings: TestSettings, nowMs: number): JudgeTimes => ({
  nowMs,
  intervals: settings.not_running_intervals,
  leastMs: settings.not_running_minutes * 60_000,
});

export function groupByTest<One extends { testId: string }>(heads: readonly One[]): Map<string, One[]> {
  const groups = new Map<string, One[]>();
  for (const head of heads) {
    const group = groups.get(head.testId);
    if (group) group.push(head);
    else groups.set(head.testId, [head]);
  }
  return groups;
}

export async function readFacts(context: TestPagesDeps, tenant: TenantId): Promise<TenantFacts> {
  const [{ list: tests }, heads, runners, settings, isMaintained] = await Promise.all([
    context.tests().read(tenant),
    context.runs.heads(tenant),
    context.listRunners(tenant),
    context.tests().settingsOf(tenant),
    context.tests().maintainedOf(tenant),
  ]);
  const heldBack = context.tests().heldBackByRate(tenant, tests, runners.length);
  const times = timesOf(settings, context.clock.now());
  return { tests, runners, settings, isMaintained, heldBack, heads: groupByTest(heads), times };
}

/** The same of one test: the others of the tenant are not read for it. */
export async function readFactsOf(context: TestPagesDeps, tenant: TenantId, test: Test): Promise<TenantFacts> {
  const [heads, runners, settings, isMaintained, heldBack] = await Promise.all([
    context.runs.headsOf(tenant, [test.id]),
    context.listRunners(tenant),
    context.tests().settingsOf(tenant),
    context.tests().maintainedOf(tenant),
    context.tests().knownHeldBack(tenant),
  ]);
  const times = timesOf(settings, context.clock.now());
  return { tests: [test], runners, settings, isMaintained, heldBack, heads: groupByTest(heads), times };
}

export const judge = ({ heads, runners, times, heldBack }: TenantFacts, test: Test): Judgement<RunHead> =>
  judgeTest(test, { heads: heads.get(test.id) ?? [], runners, times, heldBack: heldBack.has(test.id) });

/** Whether a maintenance window holds back what is told of a test now. */
export const isInMaintenance = ({ isMaintained, times }: TenantFacts, test: Test): boolean =>
  isMaintained({ testId: test.id, target: test.target, site: test.site }, times.nowMs);

/** A test with what it comes to, before anything is read that only a page shows. */
export interface Judged {
  test: Test;
  judgement: Judgement<RunHead>;
}
