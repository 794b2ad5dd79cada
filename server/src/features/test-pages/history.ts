import type { RunList, RunsQuery, StripQuery, TestSeries, TestSeriesQuery, TestStrip } from '@svc/contracts/tests/calls';
import type { RunView } from '@svc/contracts/tests/views';
import type { z } from 'zod';
import { AppError, type Ctx, type TenantId } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { layStrip } from './domain/strip.ts';
import { judge, readFactsOf } from './facts.ts';
import { DAY_MS } from './rows.ts';
import { planOfStrip, showRun } from './rows-parts.ts';
import type { RunsWanted, ShownRun } from './runs-port.ts';

/** What was measured of one test: runs, strips, series. */

const HOUR_MS = 3_600_000;
const MAX_WINDOW_MS = 400 * DAY_MS;

export async function demandTest({ tests }: TestPagesDeps, tenant: TenantId, id: string) {
  const test = await tests().find(tenant, id);
  if (!test) throw new AppError('not_found', 'There is no such test.');
  return test;
}

function windowOf({ from, to }: { from: string; to: string }): { fromMs: number; toMs: number } {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  if (toMs <= fromMs) throw new AppError('validation', 'The window must end after it begins.');
  if (toMs - fromMs > MAX_WINDOW_MS) throw new AppError('validation', 'A window has at most 400 days.');
  return { fromMs, toMs };
}

function readCursor(cursor: string | undefined): { startedAtMs: number; resultId: string } | undefined {
  if (cursor === undefined) return undefined;
  const found = /^(\d{1,16})\.([0-9a-f-]{36})$/.exec(cursor);
  if (!found) throw new AppError('validation', 'The cursor is not one of this list.');
  return { startedAtMs: Number(found[1]), resultId: String(found[2]) };
}

const cursorOf = ({ startedAtMs, resultId }: ShownRun): string => `${startedAtMs}.${resultId}`;

/** The runs that are asked for; without a time all that are kept. */
export function runsWanted(
  { clock }: Pick<TestPagesDeps, 'clock'>,
  { from, to, runner, success }: Pick<z.output<typeof RunsQuery>, 'from' | 'to' | 'runner' | 'success'>,
): RunsWanted {
  const nowMs = clock.now();
  return {
    fromMs: from ? Date.parse(from) : nowMs - 30 * DAY_MS,
    toMs: to ? Date.parse(to) : nowMs + HOUR_MS,
    ...{ runner, success },
  };
}

export async function listRuns(
  context: TestPagesDeps,
  { principal: { tenant } }: Ctx,
  query: z.output<typeof RunsQuery>,
): Promise<RunList> {
  await demandTest(context, tenant, query.id);
  const wanted = runsWanted(context, query);
  const before = readCursor(query.cursor);
  const [found, total, runners] = await Promise.all([
    context.runs.runs(tenant, query.id, { ...wanted, limit: query.limit + 1, before }),
    context.runs.countRuns(tenant, query.id, wanted),
    context.listRunners(tenant),
  ]);
  const page = found.slice(0, query.limit);
  const evidence = await context.runs.evidenceOf(
    tenant,
    page.map(({ resultId }) => resultId),
  );
  const last = page.at(-1);
  return {
    items: page.map((run) => showRun(run, { runners, evidence: evidence.get(run.resultId) })),
    next_cursor: found.length > page.length && last ? cursorOf(last) : null,
    total,
  };
}

export async function readRunView(
  context: TestPagesDeps,
  { principal: { tenant } }: Ctx,
  { id, result_id: resultId }: { id: string; result_id: string },
): Promise<RunView> {
  await demandTest(context, tenant, id);
  const [run, kept, runners] = await Promise.all([
    context.runs.run(tenant, { testId: id, resultId }),
    context.runs.readEvidence(tenant, { testId: id, resultId }),
    context.listRunners(tenant),
  ]);
  if (!run) throw new AppError('not_found', 'There is no such run, or none any more.');
  const picture = kept?.mediaType !== undefined;
  return {
    run: showRun(run, { runners, evidence: kept && { screenshot: picture } }),
    figures: run.figures,
    address: run.address ?? null,
    assertions: run.assertions,
    certificate: run.certificate ?? null,
    evidence: (await kept?.text()) ?? null,
    screenshot_url: picture ? `/v1/tests/${id}/results/${resultId}/screenshot` : null,
  };
}

/** `not_found` without one, or for another tenant's. */
export async function readScreenshot(
  { runs }: TestPagesDeps,
  { principal: { tenant } }: Ctx,
  { id, result_id }: { id: string; result_id: string },
) {
  const kept = await runs.readEvidence(tenant, { testId: id, resultId: result_id });
  const bytes = await kept?.picture();
  if (!kept?.mediaType || !bytes) throw new AppError('not_found', 'There is no screenshot of this run, or none any more.');
  return { media_type: kept.mediaType, base64: bytes.toString('base64') };
}

/** A step that the store answers by hours where the window reaches beyond its runs. */
function stepFor(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  parts: number,
  nowMs: number,
): { fromMs: number; stepMs: number } {
  const exact = Math.max(1000, Math.ceil((toMs - fromMs) / parts));
  if (fromMs > nowMs - 29 * DAY_MS && exact < HOUR_MS) return { fromMs, stepMs: exact };
  const stepMs = Math.max(HOUR_MS, Math.ceil(exact / HOUR_MS) * HOUR_MS);
  return { fromMs: Math.floor(fromMs / HOUR_MS) * HOUR_MS, stepMs };
}

export async function readStrip(
  context: TestPagesDeps,
  { principal: { tenant } }: Ctx,
  query: z.output<typeof StripQuery>,
): Promise<TestStrip> {
  const test = await demandTest(context, tenant, query.id);
  const facts = await readFactsOf(context, tenant, test);
  const { nowMs } = facts.times;
  const window = windowOf(query);
  const { fromMs, stepMs } = stepFor(window, query.bars, nowMs);
  const [bars, { pauses, scheduledAtMs }] = await Promise.all([
    context.runs.steps(tenant, { testId: test.id, runner: query.runner, fromMs, toMs: Math.min(window.toMs, nowMs), stepMs }),
    context.tests().rhythmsOf(tenant, [test.id], new Date(fromMs)),
  ]);
  const judgement = judge(facts, test);
  const runners = judgement.runners.filter(({ id }) => query.runner === undefined || id === query.runner);
  const rhythms = planOfStrip(
    { test, judgement: { ...judgement, runners } },
    { runners: facts.runners, nowMs, scheduledAtMs: scheduledAtMs.get(test.id) },
  );
  return {
    ...{ from: query.from, to: query.to, step_seconds: stepMs / 1000 },
    bars: layStrip(bars, { ...rhythms, fromMs, toMs: window.toMs, stepMs, pauses }),
  };
}

export async function readSeries(
  context: TestPagesDeps,
  { principal: { tenant } }: Ctx,
  query: z.output<typeof TestSeriesQuery>,
): Promise<TestSeries> {
  await demandTest(context, tenant, query.id);
  const window = windowOf(query);
  const answer = { from: query.from, to: query.to };
  const single = await context.runs.runs(tenant, query.id, {
    ...window,
    runner: query.runner,
    limit: query.points + 1,
    countedOnly: true,
  });
  if (single.length <= query.points && window.fromMs > context.clock.now() - 29 * DAY_MS)
    return {
      ...answer,
      step_seconds: null,
      points: single.toReversed().map((run) => ({
        ...{ at: new Date(run.startedAtMs).toISOString(), runs: 1, failed: run.success ? 0 : 1 },
        ...{ phases: run.phases, total_ms: run.totalMs, result_id: run.resultId },
      })),
    };
  const { fromMs, stepMs } = stepFor(window, query.points, context.clock.now());
  const steps = await context.runs.steps(tenant, { testId: query.id, runner: query.runner, fromMs, toMs: window.toMs, stepMs });
  return {
    ...answer,
    step_seconds: stepMs / 1000,
    points: steps.map(({ atMs, passed, failed, phases, meanMs }) => ({
      ...{ at: new Date(atMs).toISOString(), runs: passed + failed, failed, phases, total_ms: meanMs ?? null, result_id: null },
    })),
  };
}
