import type { RunnerToken } from '@svc/contracts/tests/runner-api';
import type { Test } from '@svc/contracts/tests/test';
import type { RunnerView, RunOfTest, StripBar, TestList, TestRow, TestView } from '@svc/contracts/tests/views';

const HOUR_MS = 3_600_000;
const at = (agoMs: number): string => new Date(Date.now() - agoMs).toISOString();

let made = 0;
const nextId = (): string => {
  made += 1;
  return `00000000-0000-4000-9000-${String(made).padStart(12, '0')}`;
};

export const httpsTest = (name: string, more: Partial<Test> = {}): Test =>
  ({
    ...{ id: nextId(), version: 1, created_by: 'ana@example.com', created_at: at(9 * HOUR_MS), updated_at: at(9 * HOUR_MS) },
    ...{ name, type: 'https', target: 'https://shop.example/checkout', interval_seconds: 60, labels: {}, enabled: true },
    ...{ runners: { mode: 'any' }, fail_when: 1 },
    params: {
      ...{ method: 'GET', headers: [], max_redirects: 5, family: 0, tls: { accept_invalid: false } },
      assertions: { status: ['2xx'], body_contains: [], body_not_contains: [], json: [], headers: [], total_ms: 2000 },
    },
    ...more,
  }) as Test;

export const stripBar = (agoMs: number, more: Partial<StripBar> = {}): StripBar => ({
  ...{ at: at(agoMs), passed: 60, failed: 0, not_run: 0, paused: false },
  ...more,
});

export const testRun = (more: Partial<RunOfTest> = {}): RunOfTest => ({
  ...{ result_id: nextId(), runner_id: 'built-in', runner_name: 'Built in', started_at: at(30_000), success: true },
  ...{ fault: null, error: null, phases: { dns: 20, connect: 12, tls: 148, first_byte: 150, transfer: 38 }, total_ms: 368 },
  ...{ on_demand: false, has_evidence: true, has_screenshot: false },
  ...more,
});

export const testRow = (name: string, more: Partial<Omit<TestRow, 'test'>> & { test?: Partial<Test> } = {}): TestRow => {
  const { test, ...row } = more;
  return {
    ...{ test: httpsTest(name, test), state: 'passing', sentence: 'Passes from Built in.', since: at(5 * HOUR_MS) },
    ...{ not_running: null, in_maintenance: false, availability: 1, p95_ms: 410, usual_ms: 380, last: testRun() },
    strip: Array.from({ length: 24 }, (_, hour) => stripBar((24 - hour) * HOUR_MS)),
    ...{ next_at: at(-30_000), runners: [{ id: 'built-in', name: 'Built in', state: 'passing' }] },
    ...{ certificate_days: 89, incident: null },
    ...row,
  };
};

export const testList = (items: TestRow[], more: Partial<TestList> = {}): TestList => {
  const count = (state: TestRow['state']): number => items.filter((row) => row.state === state).length;
  const counts = {
    ...{ failing: count('failing'), not_running: count('not_running'), new: count('new') },
    ...{ paused: count('paused'), passing: count('passing') },
  };
  return { items, next_cursor: null, total: items.length, counts, ...more };
};

export const runner = (name: string, more: Partial<RunnerView> = {}): RunnerView => ({
  ...{ id: nextId(), name, built_in: false, labels: {}, site: 'Berlin', version: '1.5.0', connected: true },
  ...{ connected_since: at(9 * HOUR_MS), contact_at: at(4000), lacks: {}, tests: 3, cpu_ratio: 0.04, rss_bytes: 90e6 },
  ...{ spool_results: 0, clock_skew_ms: 12, enrolled_at: at(90 * 24 * HOUR_MS), certificate_expires_at: at(-60 * 24 * HOUR_MS) },
  ...{ upgrade_required: false },
  ...more,
});

export const builtInRunner = (more: Partial<RunnerView> = {}): RunnerView =>
  runner('Built in', { id: 'built-in', built_in: true, site: null, enrolled_at: null, certificate_expires_at: null, ...more });

export const testView = (row: TestRow, more: Partial<TestView> = {}): TestView => ({
  row,
  ...{ remainder: 'All phases are as usual.', detected_after_seconds: null, failing_after: 3 },
  availability: [1, 7, 30, 90].map((days) => ({ days, ratio: 0.998, runs: days * 1440, failed: days * 3, not_run: 0 })),
  runners: [
    {
      ...{ id: 'built-in', name: 'Built in', connected: true, contact_at: at(4000), state: row.state, since: row.since },
      ...{ last_at: at(30_000), total_ms: 368, next_at: at(-30_000), conditions: [], advice: '' },
    },
  ],
  assertions: [
    { rule: 'status', wanted: '2xx', got: '200', passed: true },
    { rule: 'total_ms', wanted: 'all within 2000 ms', got: '368 ms', passed: true },
  ],
  assertions_at: at(30_000),
  certificate: {
    ...{ subject: 'CN=shop.example', issuer: 'CN=Example CA', names: ['shop.example', 'www.shop.example'] },
    ...{ not_before: at(24 * HOUR_MS), not_after: at(-89 * 24 * HOUR_MS), fingerprint: 'ab'.repeat(32), key: 'P-256' },
    ...{ protocol: 'TLSv1.3', chain_length: 4, chain_bytes: 6200, trusted: true, name_matches: true },
  },
  certificate_changed_at: at(HOUR_MS),
  changes: [{ at: at(9 * HOUR_MS), actor: 'ana@example.com', action: 'test.create', what: 'created' }],
  ...more,
});

export const runnerToken = (more: Partial<RunnerToken> = {}): RunnerToken => ({
  ...{ id: nextId(), name: null, labels: {}, site: null, uses: 1, used: 0, state: 'valid' },
  ...{ expires_at: at(-24 * HOUR_MS), created_at: at(HOUR_MS), created_by: { id: 'ana', name: 'Ana Duarte' } },
  ...more,
});
