import {
  DryRunInput,
  RunList,
  RunNowInput,
  RunProgress,
  RunStarted,
  RunsQuery,
  StripQuery,
  TestSeries,
  TestSeriesQuery,
  TestStrip,
} from '@svc/contracts/tests/calls';
import type { TestSpec } from '@svc/contracts/tests/test';
import { RunView } from '@svc/contracts/tests/views';
import { readTest, WrittenTest } from '@svc/contracts/tests/written-test';
import { z } from 'zod';
import { permitted } from '#api';
import { AppError } from '#kernel';
import type { TestPagesDeps } from './context.ts';
import { exportCsv, exportRuns } from './csv.ts';
import { listRuns, readRunView, readScreenshot, readSeries, readStrip } from './history.ts';
import { CsvByUrl, RunsByUrl, RunsOfFile } from './queries-by-url.ts';
import type { RunNow } from './run-now.ts';

const tags = ['tests'];
const OfRun = z.object({ id: z.uuid(), result_id: z.uuid() });
/** What was measured, as pages show it. */
export const createHistoryProcedures = (context: TestPagesDeps) => ({
  runs: permitted('test.read', {
    rest: {
      method: 'GET',
      path: '/tests/:id/results',
      tags,
      summary: 'Runs of a test, the latest first',
      query: RunsByUrl,
      errors: ['not_found'],
    },
  })
    .input(RunsQuery)
    .output(RunList)
    .query(({ ctx, input }) => listRuns(context, ctx, input)),
  run: permitted('test.read', {
    rest: {
      method: 'GET',
      path: '/tests/:id/results/:result_id',
      tags,
      summary: 'One run with its evidence',
      errors: ['not_found'],
    },
  })
    .input(OfRun)
    .output(RunView)
    .query(({ ctx, input }) => readRunView(context, ctx, input)),
  screenshot: permitted('test.read', {
    rest: {
      ...{ method: 'GET', path: '/tests/:id/results/:result_id/screenshot', tags, summary: 'What the browser of a run saw' },
      ...{ errors: ['not_found'], picture: true },
    },
  })
    .input(OfRun)
    .output(z.object({ media_type: z.string(), base64: z.string() }))
    .query(({ ctx, input }) => readScreenshot(context, ctx, input)),
  strip: permitted('test.read')
    .input(StripQuery)
    .output(TestStrip)
    .query(({ ctx, input }) => readStrip(context, ctx, input)),
  series: permitted('test.read')
    .input(TestSeriesQuery)
    .output(TestSeries)
    .query(({ ctx, input }) => readSeries(context, ctx, input)),
  runsCsv: permitted('test.read', {
    rest: {
      ...{ method: 'GET', path: '/tests/:id/results.csv', contentType: 'text/csv; charset=utf-8', tags },
      ...{ summary: 'Runs of a test as a file', query: RunsOfFile.omit({ id: true }), errors: ['not_found', 'query_limit'] },
    },
  })
    .input(RunsOfFile)
    .output(z.string())
    .query(({ ctx, input }) => exportRuns(context, ctx, input)),
  csv: permitted('test.read', {
    rest: {
      method: 'GET',
      path: '/tests.csv',
      contentType: 'text/csv; charset=utf-8',
      tags,
      summary: 'The list as a file',
      query: CsvByUrl,
    },
  })
    .input(CsvByUrl)
    .output(z.string())
    .query(({ ctx, input }) => exportCsv(context, ctx, { ...input, limit: 100 })),
});

/** The test as it is written, or `validation` with every fault. */
function demandSpec(written: unknown): TestSpec {
  const read = readTest(written);
  if (!('faults' in read)) return read;
  throw new AppError('validation', `The test is not valid: ${read.faults[0]?.message ?? ''}`, { faults: read.faults });
}

const begun = ({ progress }: { progress: RunProgress }): z.output<typeof RunStarted> => ({ run_id: progress.run_id });

const ended = async (started: { progress: RunProgress; ended: Promise<void> }): Promise<RunProgress> => {
  await started.ended;
  return started.progress;
};

/** Runs on demand: a page asks how far they are, a program waits until they are over. */
export const createRunNowProcedures = (runs: RunNow) => ({
  runNow: permitted('test.write')
    .input(RunNowInput)
    .output(RunStarted)
    .mutation(async ({ ctx, input }) => begun(await runs.runNow(ctx, input))),
  dryRun: permitted('test.write')
    .input(DryRunInput)
    .output(RunStarted)
    .mutation(async ({ ctx, input }) => begun(await runs.dryRun(ctx, input))),
  progress: permitted('test.write')
    .input(z.object({ run_id: z.uuid() }))
    .output(RunProgress)
    .query(({ ctx, input }) => runs.progress(ctx, input)),
  runByUrl: permitted('test.write', {
    rest: {
      method: 'POST',
      path: '/tests/:id/run',
      tags,
      summary: 'Run a test now and wait for it',
      errors: ['not_found', 'conflict'],
    },
  })
    .input(RunNowInput)
    .output(RunProgress)
    .mutation(async ({ ctx, input }) => await ended(await runs.runNow(ctx, input))),
  dryRunByUrl: permitted('test.write', {
    rest: {
      method: 'POST',
      path: '/tests/dry-run',
      tags,
      summary: 'Try a test out; nothing of it is kept',
      errors: ['conflict'],
    },
  })
    .input(WrittenTest.extend({ try_on: DryRunInput.shape.runners }))
    .output(RunProgress)
    .mutation(async ({ ctx, input: { try_on, ...written } }) =>
      ended(await runs.dryRun(ctx, { test: demandSpec(written), runners: try_on })),
    ),
});
