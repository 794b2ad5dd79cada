import type { Measured, RunReport } from '@svc/contracts/tests/run-report';
import { afterEach, expect, it, vi } from 'vitest';
import { SecretFault } from './make-run.ts';
import type { RunTest } from './run-test.ts';
import { createRunner, TooManyRuns } from './runner.ts';
import { plannedTest } from './schedule/test-plan.ts';

const good: Measured = { success: true, phases: { connect: 1 }, total_ms: 1, figures: { bytes: 1 }, assertions: [] };
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.useRealTimers();
});

async function open(runTest: RunTest, lacks = {}) {
  const reports: RunReport[] = [];
  const runner = await createRunner({
    id: 'built-in',
    prober: { runTest, lacksOf: async () => lacks },
    shared: true,
    report: (_, report) => reports.push(report),
  });
  closers.push(runner.close);
  return { runner, reports };
}

it('makes reports of what it measured, by plan and on demand', async () => {
  const { runner, reports } = await open(async (_, { onProgress }) => {
    onProgress?.('connect', 1);
    return good;
  });
  runner.change('t', { put: [plannedTest(1, { interval_seconds: 1 })], remove: [] });
  await vi.waitFor(() => expect(reports).toHaveLength(1), 3000);
  expect(reports[0]).toMatchObject({ success: true, on_demand: false, runner_id: 'built-in', test_version: 1, type: 'tcp' });
  const phases: string[] = [];
  const report = await runner.runOnce('t', plannedTest(2), (phase) => phases.push(phase));
  expect(report).toMatchObject({ on_demand: true, success: true });
  expect(phases).toEqual(['connect']);
});

it('measures nothing where it lacks what the type takes, and says why', async () => {
  const { runner } = await open(async () => good, { tcp: 'switched_off' });
  expect(await runner.runOnce('t', plannedTest(1))).toMatchObject({ success: false, fault: 'not_capable' });
});

it('gives a secret to its hosts alone', async () => {
  const { runner } = await open(async (_, { resolveSecret }) => {
    resolveSecret('token', 'SHOP.example.');
    return good;
  });
  const { test } = plannedTest(1);
  const secret = (hosts: string[]) => [{ name: 'token', hosts, value: 'tell nobody' }];
  expect(await runner.runOnce('t', { test, secrets: secret(['shop.example']) })).toMatchObject({ success: true });
  expect(await runner.runOnce('t', { test, secrets: secret(['*.example']) })).toMatchObject({ success: true });
  const refused = await runner.runOnce('t', { test, secrets: secret(['other.example']) });
  expect(refused).toMatchObject({ success: false, fault: 'secret' });
  expect(await runner.runOnce('t', { test, secrets: [] })).toMatchObject({ fault: 'secret' });
  expect(JSON.stringify(refused)).not.toContain('tell nobody');
});

it('says that it failed itself, without the words of the fault', async () => {
  const { runner } = await open(async () => {
    throw new Error('tell nobody');
  });
  const report = await runner.runOnce('t', plannedTest(1));
  expect(report).toMatchObject({ success: false, fault: 'internal' });
  expect(report?.error).not.toContain('tell nobody');
  expect(new SecretFault('x')).toBeInstanceOf(Error);
});

it('ends a probe that does not end by itself', async () => {
  vi.useFakeTimers();
  const { runner } = await open(async () => await new Promise<never>(() => {}));
  const run = runner.runOnce('t', plannedTest(1, { timeout_seconds: 2 }));
  await vi.advanceTimersByTimeAsync(12_100);
  expect(await run).toMatchObject({ fault: 'internal', success: false });
});

it('refuses runs on demand beyond its bound, and ends those that go on with itself', async () => {
  const { runner } = await open(async () => await new Promise<never>(() => {}));
  const runs = Array.from({ length: 109 }, () => runner.runOnce('t', plannedTest(1)));
  await expect(runs.at(-1)).rejects.toBeInstanceOf(TooManyRuns);
  runner.close();
  expect(await Promise.all(runs.slice(0, 108))).toEqual(Array.from({ length: 108 }, () => undefined));
});
