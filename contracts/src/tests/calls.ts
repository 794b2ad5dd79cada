import { z } from 'zod';
import { Measured, PHASES } from './run-report.ts';
import { TestSpec } from './test.ts';
import { RunOfTest, StripBar } from './views.ts';

/** Inputs and outputs of the `tests.*` procedures beside those of views.ts. */

const window = { from: z.iso.datetime(), to: z.iso.datetime() };
/** Of one runner; absent: of all. */
const runner = z.string().max(64).optional();

export const RunsQuery = z.object({
  id: z.uuid(),
  runner,
  /** Only those that failed, or only those that did not. */
  success: z.boolean().optional(),
  from: z.iso.datetime().optional(),
  to: z.iso.datetime().optional(),
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().max(512).optional(),
});

/** The latest first. */
export const RunList = z.object({
  items: z.array(RunOfTest),
  next_cursor: z.string().nullable(),
  /** Of the whole window. */
  total: z.int(),
});
export type RunList = z.infer<typeof RunList>;

export const StripQuery = z.object({ id: z.uuid(), runner, ...window, bars: z.int().min(1).max(300).default(144) });

export const TestStrip = z.object({ ...window, step_seconds: z.number(), bars: z.array(StripBar) });
export type TestStrip = z.infer<typeof TestStrip>;

export const TestSeriesQuery = z.object({ id: z.uuid(), runner, ...window, points: z.int().min(10).max(500).default(120) });

export const TestSeriesPoint = z.object({
  at: z.iso.datetime(),
  runs: z.int(),
  failed: z.int(),
  /** Means of the runs of this time; a phase that none of them reached is absent. */
  phases: z.partialRecord(z.enum(PHASES), z.number()),
  total_ms: z.number().nullable(),
  /** Where the point is one run. */
  result_id: z.uuid().nullable(),
});
export type TestSeriesPoint = z.infer<typeof TestSeriesPoint>;

/** Points only where something ran: what lies between two of them was not measured. */
export const TestSeries = z.object({
  ...window,
  /** Null: each point is one run. */
  step_seconds: z.number().nullable(),
  points: z.array(TestSeriesPoint),
});
export type TestSeries = z.infer<typeof TestSeries>;

export const DryRunInput = z.object({
  test: TestSpec,
  /** Ids; absent: those that the test chooses. */
  runners: z.array(z.string().max(64)).min(1).max(10).optional(),
});

/** `runner`: one of those that the test runs on; absent: all of them. */
export const RunNowInput = z.object({ id: z.uuid(), runner });

/** What `dryRun` and `runNow` answer at once; the rest is asked of `progress` by this id. */
export const RunStarted = z.object({ run_id: z.uuid() });

export const RunProgress = z.object({
  run_id: z.uuid(),
  dry_run: z.boolean(),
  started_at: z.iso.datetime(),
  done: z.boolean(),
  runners: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** Those that are over, as they end. */
      phases: z.partialRecord(z.enum(PHASES), z.number()),
      done: z.boolean(),
      /** Why there is no result: not connected, not capable, refused. */
      problem: z.string().nullable(),
      result: Measured.omit({ evidence: true }).nullable(),
      /** Of the stored run; null for a dry run, of which nothing is stored. */
      result_id: z.uuid().nullable(),
    }),
  ),
});
export type RunProgress = z.infer<typeof RunProgress>;

/** Answered by the row of the list. A name that is taken is a fault at `test.name`; faults of the rest lie at `test.` and their own path. */
export const CreateTestInput = z.object({ test: TestSpec });

/** `version`: of the test that was edited; another one meanwhile is a conflict. */
export const UpdateTestInput = z.object({ id: z.uuid(), version: z.int(), test: TestSpec });

export const RemoveTestsInput = z.object({ ids: z.array(z.uuid()).min(1).max(1000) });

export const SetEnabledInput = z.object({ ids: z.array(z.uuid()).min(1).max(1000), enabled: z.boolean() });
