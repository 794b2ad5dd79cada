import type { PlannedTest } from '@svc/contracts/tests/plan';
import { Test, type TestSpecInput } from '@svc/contracts/tests/test';

/** A test as a plan has it, by its number. */
export const plannedTest = (n: number, more: Partial<TestSpecInput> = {}): PlannedTest => ({
  test: Test.parse({
    type: 'tcp',
    name: `test ${n}`,
    target: '192.0.2.1:443',
    interval_seconds: 60,
    params: {},
    ...more,
    id: `01990000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    version: 1,
    created_by: 'somebody',
    created_at: '2026-11-25T10:00:00.000Z',
    updated_at: '2026-11-25T10:00:00.000Z',
  }),
  secrets: [],
});
