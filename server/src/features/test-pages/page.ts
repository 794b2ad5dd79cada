import type { Test } from '@svc/contracts/tests/test';
import type { RunnerOfTest, TestRow, TestView } from '@svc/contracts/tests/views';
import { AppError, type Ctx, type TenantId } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { shownCertificates } from './domain/certificates.ts';
import { adviseOn, listConditions } from './domain/conditions.ts';
import { remainderOf } from './domain/sentence.ts';
import { type Judged, judge, readFactsOf, type TenantFacts } from './facts.ts';
import { buildRows, DAY_MS } from './rows.ts';
import { nameRunner, nextRunMs } from './rows-parts.ts';
import type { FullHead, Step } from './runs-port.ts';
import { saidOf } from './said.ts';

const HOUR_MS = 3_600_000;
const WINDOWS_DAYS = [1, 7, 30, 90] as const;
/** Newest changes of a test that its page shows. */
const CHANGES = 50;

async function findJudged(context: TestPagesDeps, tenant: TenantId, id: string): Promise<{ facts: TenantFacts; one: Judged }> {
  const test = await context.tests().find(tenant, id);
  if (!test) throw new AppError('not_found', 'There is no such test.');
  const facts = await readFactsOf(context, tenant, test);
  return { facts, one: { test, judgement: judge(facts, test) } };
}

/** The row of one test, as the list has it. */
export async function readTestRow(context: TestPagesDeps, { principal: { tenant } }: Ctx, test: Test): Promise<TestRow> {
  const facts = await readFactsOf(context, tenant, test);
  const [row] = await buildRows(context, { tenant, facts, judged: [{ test, judgement: judge(facts, test) }] });
  if (!row) throw new AppError('not_found', 'There is no such test.');
  return row;
}

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

function describeRunners({ test, judgement }: Judged, facts: TenantFacts, heads: readonly FullHead[]): RunnerOfTest[] {
  const { nowMs } = facts.times;
  return judgement.runners.map(({ id, state, reason, sinceMs }) => {
    const head = heads.find(({ runnerId }) => runnerId === id);
    const runner = facts.runners.find((known) => known.id === id);
    const name = nameRunner(facts.runners, id);
    const asked = {
      reason: test.enabled ? reason : ('paused' as const),
      ...{ enabled: test.enabled, type: test.type, measured: head?.measuredAtMs !== undefined },
      runner: { name, there: runner !== undefined, connected: runner?.connected ?? false },
    };
    const runs = { test, judgement: { ...judgement, runners: judgement.runners.filter((one) => one.id === id) } };
    return {
      ...{
        id,
        name,
        connected: runner?.connected ?? false,
        contact_at: iso(runner?.contactAtMs),
        state: test.enabled ? state : 'paused',
      },
      ...{ since: iso(sinceMs), last_at: iso(head?.lastAtMs), total_ms: head?.last.totalMs ?? null },
      ...{ next_at: iso(nextRunMs(runs, nowMs)), conditions: listConditions(asked), advice: adviseOn(asked) },
    };
  });
}

async function readAvailability(
  context: TestPagesDeps,
  tenant: TenantId,
  { id }: Pick<Test, 'id'>,
): Promise<TestView['availability']> {
  const nowMs = context.clock.now();
  const fromMs = (Math.floor(nowMs / HOUR_MS) - 90 * 24 + 1) * HOUR_MS;
  const steps = await context.runs.steps(tenant, { testId: id, fromMs, toMs: nowMs, stepMs: HOUR_MS });
  const sum = (rows: readonly Step[], key: 'passed' | 'failed' | 'notRun') => rows.reduce((total, row) => total + row[key], 0);
  return WINDOWS_DAYS.map((days) => {
    // By whole hours, as lists have it: one test has one availability of a day.
    const rows = steps.filter(({ atMs }) => atMs > nowMs - days * DAY_MS);
    const [passed, failed] = [sum(rows, 'passed'), sum(rows, 'failed')];
    return {
      days,
      ratio: passed + failed > 0 ? passed / (passed + failed) : null,
      ...{ runs: passed + failed, failed, not_run: sum(rows, 'notRun') },
    };
  });
}

/** The newest run that measured something, with its assertions: of the runner that the sentence tells of, where one fails. */
async function readAssertions(
  context: TestPagesDeps,
  tenant: TenantId,
  { one, heads }: { one: Judged; heads: readonly FullHead[] },
) {
  const failing = new Set(one.judgement.runners.filter(({ state }) => state === 'failing').map(({ id }) => id));
  const telling = heads.filter(({ runnerId }) => failing.size === 0 || failing.has(runnerId));
  const last = telling.toSorted((a, b) => b.lastAtMs - a.lastAtMs)[0]?.last;
  const run = last && (await context.runs.run(tenant, { testId: one.test.id, resultId: last.resultId }));
  return { assertions: run?.assertions ?? [], assertions_at: iso(run?.startedAtMs) };
}

export async function readTestView(
  context: TestPagesDeps,
  { principal: { tenant } }: Ctx,
  { id }: { id: string },
): Promise<TestView> {
  const { facts, one } = await findJudged(context, tenant, id);
  const [[row], heads, stats, availability, changes] = await Promise.all([
    buildRows(context, { tenant, facts, judged: [one] }),
    context.runs.headsOf(tenant, [id]),
    context.runs.dayStats(tenant, [id]),
    readAvailability(context, tenant, { id }),
    context.readChanges(tenant, { type: 'test', id, limit: CHANGES }),
  ]);
  if (!row) throw new AppError('not_found', 'There is no such test.');
  const [newest] = shownCertificates(
    heads.filter(({ runnerId }) => one.judgement.runners.some(({ id: its }) => its === runnerId)),
  );
  const failing = heads.filter(({ failing: fails, latchedAtMs }) => fails && latchedAtMs !== undefined);
  const latchedMs = Math.min(...failing.flatMap(({ latchedAtMs }) => latchedAtMs ?? []));
  const sinceMs = one.judgement.sinceMs;
  return {
    row,
    remainder: remainderOf(saidOf(one, facts, { heads, stats: stats.get(id) })),
    detected_after_seconds:
      one.judgement.state === 'failing' && sinceMs !== undefined && Number.isFinite(latchedMs)
        ? Math.max(0, Math.round((latchedMs - sinceMs) / 1000))
        : null,
    availability,
    runners: describeRunners(one, facts, heads),
    ...(await readAssertions(context, tenant, { one, heads })),
    certificate: newest?.certificate ?? null,
    certificate_changed_at: iso(newest?.certificateChangedAtMs),
    changes: [...changes],
    failing_after: one.test.failing_after ?? facts.settings.failing_after,
  };
}
