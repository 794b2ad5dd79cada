import { z } from 'zod';
import { Assertion, CertificateFacts, Evidence, PHASES, RUN_FAULTS } from './run-report.ts';
import { Capabilities } from './runner.ts';
import { Test } from './test.ts';
import { TEST_TYPES } from './test-types.ts';

/** What the `tests.*` and `runners.*` procedures answer: rows of the list, a test's page, its runs, runners. */

/** `new`: nothing has run yet. Worst first in this order. */
export const TEST_STATES = ['failing', 'not_running', 'new', 'paused', 'passing'] as const;
export type TestState = (typeof TEST_STATES)[number];

/** Why a test does not run, in the order in which it is checked. */
export const NOT_RUNNING_REASONS = [
  'paused',
  'no_runner_chosen',
  'no_runner_connected',
  'runner_not_capable',
  'target_refused',
  'secret',
  'rate',
  'runner_fault',
  'late',
] as const;
export type NotRunningReason = (typeof NOT_RUNNING_REASONS)[number];

/** One bar of a strip: what the runs of its time came to. */
export const StripBar = z.object({
  at: z.iso.datetime(),
  passed: z.int(),
  failed: z.int(),
  /** Planned and not made. */
  not_run: z.int(),
  paused: z.boolean(),
});
export type StripBar = z.infer<typeof StripBar>;

export const RunOfTest = z.object({
  result_id: z.uuid(),
  runner_id: z.string(),
  runner_name: z.string(),
  started_at: z.iso.datetime(),
  success: z.boolean(),
  fault: z.enum(RUN_FAULTS).nullable(),
  error: z.string().nullable(),
  phases: z.partialRecord(z.enum(PHASES), z.number()),
  total_ms: z.number(),
  on_demand: z.boolean(),
  has_evidence: z.boolean(),
  has_screenshot: z.boolean(),
});
export type RunOfTest = z.infer<typeof RunOfTest>;

export const TestRow = z.object({
  test: Test,
  state: z.enum(TEST_STATES),
  /** In whole, where it fails: since when, where from, which phase or assertion. */
  sentence: z.string(),
  since: z.iso.datetime().nullable(),
  not_running: z.enum(NOT_RUNNING_REASONS).nullable(),
  in_maintenance: z.boolean(),
  /** 24 hours in 24 bars, the oldest first. */
  strip: z.array(StripBar),
  /** 0 to 1 over 24 hours, of the runs made; null without any. */
  availability: z.number().nullable(),
  p95_ms: z.number().nullable(),
  /** Median of seven days. */
  usual_ms: z.number().nullable(),
  last: RunOfTest.nullable(),
  next_at: z.iso.datetime().nullable(),
  /** Names, as the plan has them. */
  runners: z.array(z.object({ id: z.string(), name: z.string(), state: z.enum(TEST_STATES) })),
  certificate_days: z.number().nullable(),
  incident: z.object({ id: z.uuid(), number: z.int() }).nullable(),
});
export type TestRow = z.infer<typeof TestRow>;

export const SORTS_OF_TESTS = [
  'state',
  'name',
  'type',
  'target',
  'availability',
  'total',
  'p95',
  'last',
  'interval',
  'certificate',
] as const;

/** One filter language for page, CSV and REST. */
export const TestListQuery = z.object({
  search: z.string().max(200).optional(),
  state: z.array(z.enum(TEST_STATES)).max(5).optional(),
  type: z.array(z.enum(TEST_TYPES)).max(7).optional(),
  runner: z.array(z.string().max(64)).max(20).optional(),
  /** `key` or `key=value`. */
  label: z.array(z.string().max(192)).max(10).optional(),
  sort: z
    .array(z.object({ by: z.enum(SORTS_OF_TESTS), descending: z.boolean().default(false) }))
    .max(3)
    .optional(),
  limit: z.int().min(1).max(1000).default(100),
  cursor: z.string().max(512).optional(),
  /** Rows to leave out, for pages with numbers; not with a cursor. */
  offset: z.int().min(0).max(1_000_000).optional(),
});
export type TestListQuery = z.infer<typeof TestListQuery>;

export const TestList = z.object({
  items: z.array(TestRow),
  next_cursor: z.string().nullable(),
  total: z.int(),
  /** Of all tests of the tenant, whatever the filter. */
  counts: z.record(z.enum(TEST_STATES), z.int()),
});
export type TestList = z.infer<typeof TestList>;

/** One reason that is checked for a runner: holds, does not, or is not known since an earlier one does not hold. */
export const Condition = z.object({
  what: z.string(),
  detail: z.string(),
  holds: z.boolean().nullable(),
});

export const RunnerOfTest = z.object({
  id: z.string(),
  name: z.string(),
  connected: z.boolean(),
  contact_at: z.iso.datetime().nullable(),
  state: z.enum(TEST_STATES),
  since: z.iso.datetime().nullable(),
  last_at: z.iso.datetime().nullable(),
  total_ms: z.number().nullable(),
  next_at: z.iso.datetime().nullable(),
  conditions: z.array(Condition),
  /** The one thing to do; empty where it runs. */
  advice: z.string(),
});
export type RunnerOfTest = z.infer<typeof RunnerOfTest>;

/** Window of one, seven, thirty or ninety days. */
export const Availability = z.object({
  days: z.int(),
  ratio: z.number().nullable(),
  runs: z.int(),
  failed: z.int(),
  not_run: z.int(),
});

export const TestView = z.object({
  row: TestRow,
  /** What else is so: which phases are as usual, from where it passes. */
  remainder: z.string(),
  /** From the first failing run to the signal. */
  detected_after_seconds: z.number().nullable(),
  availability: z.array(Availability),
  runners: z.array(RunnerOfTest),
  assertions: z.array(Assertion),
  /** The run that they are of. */
  assertions_at: z.iso.datetime().nullable(),
  certificate: CertificateFacts.nullable(),
  certificate_changed_at: z.iso.datetime().nullable(),
  changes: z.array(z.object({ at: z.iso.datetime(), actor: z.string(), action: z.string(), what: z.string() })),
  failing_after: z.int(),
});
export type TestView = z.infer<typeof TestView>;

export const RunView = z.object({
  run: RunOfTest,
  figures: z.record(z.string(), z.number()),
  address: z.string().nullable(),
  assertions: z.array(Assertion),
  certificate: CertificateFacts.nullable(),
  evidence: Evidence.omit({ screenshot: true }).nullable(),
  /** Of the console's own origin; null without one. */
  screenshot_url: z.string().nullable(),
});
export type RunView = z.infer<typeof RunView>;

export const RunnerView = z.object({
  id: z.string(),
  name: z.string(),
  built_in: z.boolean(),
  labels: z.record(z.string(), z.string()),
  site: z.string().nullable(),
  version: z.string().nullable(),
  connected: z.boolean(),
  connected_since: z.iso.datetime().nullable(),
  contact_at: z.iso.datetime().nullable(),
  lacks: Capabilities,
  tests: z.int(),
  /** Of one core. */
  cpu_ratio: z.number().nullable(),
  rss_bytes: z.number().nullable(),
  spool_results: z.int().nullable(),
  clock_skew_ms: z.number().nullable(),
  enrolled_at: z.iso.datetime().nullable(),
  certificate_expires_at: z.iso.datetime().nullable(),
  /** Outside of the version window: it must be upgraded before it may connect again. */
  upgrade_required: z.boolean(),
});
export type RunnerView = z.infer<typeof RunnerView>;
