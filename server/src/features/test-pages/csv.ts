import { PHASES } from '@svc/contracts/tests/run-report';
import type { RunnerFacts } from '@svc/contracts/tests/runner';
import type { TestListQuery, TestRow } from '@svc/contracts/tests/views';
import { BYTE_ORDER_MARK, csvLine } from '@svc/contracts/words/csv';
import type { z } from 'zod';
import { AppError, type Ctx } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { demandTest, runsWanted } from './history.ts';
import { selectTests } from './list.ts';
import type { RunsOfFile } from './queries-by-url.ts';
import { buildRows } from './rows.ts';
import { nameRunner } from './rows-parts.ts';
import type { ShownRun } from './runs-port.ts';

const HEADER = [
  ...[
    'id',
    'name',
    'type',
    'target',
    'state',
    'sentence',
    'since',
    'not_running',
    'in_maintenance',
    'availability_24h',
    'p95_ms',
    'usual_ms',
  ],
  ...[
    'last_at',
    'last_success',
    'last_total_ms',
    'last_error',
    'next_at',
    'interval_seconds',
    'runners',
    'labels',
    'certificate_days',
    'incident',
  ],
];
const AT_ONCE = 500;

function toLine({ test, last, incident, ...row }: TestRow): string {
  const labels = Object.entries(test.labels).map(([key, value]) => `${key}=${value}`);
  return csvLine([
    ...[
      test.id,
      test.name,
      test.type,
      test.target,
      row.state,
      row.sentence,
      row.since,
      row.not_running,
      row.in_maintenance ? 'true' : 'false',
    ],
    ...[
      row.availability,
      row.p95_ms,
      row.usual_ms,
      last?.started_at ?? null,
      last ? String(last.success) : null,
      last?.total_ms ?? null,
    ],
    ...[last?.error ?? null, row.next_at, test.interval_seconds, row.runners.map(({ name }) => name).join(' '), labels.join(' ')],
    ...[row.certificate_days, incident?.number ?? null],
  ]);
}

/** Every test that matches, over all pages; formula-safe, and marked as UTF-8 for spreadsheets. */
export async function exportCsv(context: TestPagesDeps, { principal: { tenant } }: Ctx, query: TestListQuery): Promise<string> {
  const { facts, found } = await selectTests(context, tenant, query);
  const chunks = [BYTE_ORDER_MARK, csvLine(HEADER)];
  for (let from = 0; from < found.length; from += AT_ONCE) {
    const rows = await buildRows(context, { tenant, facts, judged: found.slice(from, from + AT_ONCE) });
    chunks.push(rows.map(toLine).join(''));
  }
  return chunks.join('');
}

const RUN_HEADER = [
  ...['result_id', 'started_at', 'runner_id', 'runner', 'success', 'fault', 'error', 'total_ms'],
  ...PHASES.map((phase) => `${phase}_ms`),
  'on_demand',
];
/** Of one file: as many runs as one test makes in 30 days at 30 s from one runner. */
export const MAX_CSV_RUNS = 100_000;
const RUNS_AT_ONCE = 1000;

const toRunLine = (run: ShownRun, runners: readonly RunnerFacts[]): string =>
  csvLine([
    ...[run.resultId, new Date(run.startedAtMs).toISOString(), run.runnerId, nameRunner(runners, run.runnerId)],
    ...[String(run.success), run.fault ?? null, run.error ?? null, run.totalMs],
    ...PHASES.map((phase) => run.phases[phase] ?? null),
    String(run.onDemand),
  ]);

/** Runs of a test, the latest first, as a file; `query_limit` for more than one file has. */
export async function exportRuns(
  context: TestPagesDeps,
  { principal: { tenant } }: Ctx,
  query: z.output<typeof RunsOfFile>,
): Promise<string> {
  await demandTest(context, tenant, query.id);
  const wanted = runsWanted(context, query);
  if ((await context.runs.countRuns(tenant, query.id, wanted)) > MAX_CSV_RUNS)
    throw new AppError('query_limit', `A file has at most ${MAX_CSV_RUNS} runs. Choose a shorter time.`);
  const runners = await context.listRunners(tenant);
  const chunks = [BYTE_ORDER_MARK, csvLine(RUN_HEADER)];
  for (let before: ShownRun | undefined; ; ) {
    const page = await context.runs.runs(tenant, query.id, { ...wanted, limit: RUNS_AT_ONCE, before });
    chunks.push(page.map((run) => toRunLine(run, runners)).join(''));
    before = page.at(-1);
    if (page.length < RUNS_AT_ONCE) return chunks.join('');
  }
}
