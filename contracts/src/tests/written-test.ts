import { z } from 'zod';
import { TestSpec } from './test.ts';
import { TEST_TYPES } from './test-types.ts';

/**
 * A test as programs write it: the fields of `TestSpec` side by side, with those that depend on the type still open. `readTest` says what is
 * wrong with them, field by field.
 */
export const WrittenTest = z.strictObject({
  name: z.string().max(400),
  type: z.enum(TEST_TYPES),
  target: z.string().max(4096),
  interval_seconds: z.number().optional(),
  timeout_seconds: z.number().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  labels: z.record(z.string(), z.string()).optional(),
  runners: z.record(z.string(), z.unknown()).optional(),
  fail_when: z.number().optional(),
  failing_after: z.number().optional(),
  site: z.string().optional(),
  enabled: z.boolean().optional(),
});
export type WrittenTest = z.infer<typeof WrittenTest>;

export interface TestFault {
  /** Dotted, such as `params.assertions.status.0`. */
  path: string;
  message: string;
}

/** The test, whole and with its defaults, or every fault that it has. */
export function readTest(written: unknown): TestSpec | { faults: TestFault[] } {
  const read = TestSpec.safeParse(written);
  if (read.success) return read.data;
  return { faults: read.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })) };
}

/** The names of what a file and `apply` may do to tests. */
export const TEST_CHANGES = ['create', 'update', 'remove', 'none'] as const;
export type TestChange = (typeof TEST_CHANGES)[number];

/** At most so many tests in one call: a file of more is sent in several. */
export const APPLY_AT_ONCE = 500;

export const ApplyTests = z.object({
  /** Made or changed by their names. */
  tests: z.array(WrittenTest).max(APPLY_AT_ONCE).default([]),
  /** Names of those that go. */
  remove: z.array(z.string().max(400)).max(APPLY_AT_ONCE).default([]),
  /** Says what would change, and changes nothing. */
  dry_run: z.boolean().default(false),
});
export type ApplyTests = z.infer<typeof ApplyTests>;

export const AppliedTests = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      id: z.uuid().nullable(),
      change: z.enum(TEST_CHANGES),
      /** Of an update: what differs, as JSON; null where it is not there. */
      fields: z.array(z.object({ path: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
      /** Secrets that it refers to and that are not there: it does not run until they are. */
      missing_secrets: z.array(z.string()),
    }),
  ),
});
export type AppliedTests = z.infer<typeof AppliedTests>;
