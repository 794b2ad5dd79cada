import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { RunReport } from '@svc/contracts/tests/run-report';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { RunnerGone, type RunnerHandle } from '../runner-handle.ts';
import { plannedTest } from '../schedule/test-plan.ts';
import { startRunnerProcess } from './runner-process.ts';

const soon = { timeout: 60_000, interval: 50 };
const ENTRY = join(import.meta.dirname, 'test-entry-child.ts');
/** A third of a second of the runner's CPU for each body: hard, and over all of what it may look at. */
const HARD = '(?:x[xy]{90}|y[xy]{91}|[xy]x[xy]{92})+\\d';
/** Another one each time: what an expression has learnt of one text is of no use for the next. */
const hardBody = (): Buffer => Buffer.from(randomBytes(300_000).map((byte) => ((byte & 1) === 0 ? 120 : 121)));

let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/slow') setTimeout(() => response.end('late'), 60_000).unref();
    else response.end(request.url === '/hard' ? hardBody() : 'fine');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const open: RunnerHandle[] = [];
afterEach(async () => {
  for (const runner of open.splice(0)) await runner.close();
});

const kept = { internal: [] as string[], endings: [] as object[] };
async function start(more: { silentMs?: number } = {}) {
  const reports: (RunReport & { owner: string })[] = [];
  kept.endings = [];
  const runner = await startRunnerProcess({
    ...{ entry: ENTRY, env: { PATH: '/usr/bin:/bin' }, pauseMs: { first: 100, most: 1000 }, ...more },
    settings: { id: 'built-in', allow: ['127.0.0.1'], forbiddenHosts: [], forbiddenNames: [] },
    report: (owner, report) => reports.push({ owner, ...report }),
    log: { warn: () => {}, error: (details) => kept.endings.push(details) },
  });
  open.push(runner);
  return { runner, reports };
}

const http = (n: number, path = '/', params = {}): PlannedTest =>
  plannedTest(n, { type: 'http', target: `${url}${path}`, params, interval_seconds: 1, timeout_seconds: 10 } as never);

/** Of this process's children: those that run the entry. */
async function findPids(): Promise<number[]> {
  const { readdir, readFile } = await import('node:fs/promises');
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const status = await readFile(`/proc/${name}/status`, 'utf8').catch(() => '');
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (new RegExp(`^PPid:\\s+${process.pid}$`, 'm').test(status) && line.includes(ENTRY)) found.push(Number(name));
  }
  return found;
}

it('runs plans and runs on demand as the runner in this process does', async () => {
  const { runner, reports } = await start();
  runner.change('acme', { put: [http(1)], remove: [] });
  await vi.waitFor(() => expect(reports.length).toBeGreaterThan(1), soon);
  expect(reports[0]).toMatchObject({ owner: 'acme', success: true, runner_id: 'built-in', on_demand: false });
  const phases: string[] = [];
  const report = await runner.runOnce('other', http(2), (phase) => phases.push(phase));
  expect(report).toMatchObject({ success: true, on_demand: true });
  expect(phases).toContain('first_byte');
  await vi.waitFor(() => expect(runner.use().rss_bytes).toBeGreaterThan(1e7), soon);
  runner.change('acme', { put: [], remove: [http(1).test.id] });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const count = reports.length;
  await new Promise((resolve) => setTimeout(resolve, 2000));
  expect(reports.length).toBe(count);
});

it.skipIf(process.platform !== 'linux')('is started again with its plan when it dies, and tells those who wait', async () => {
  const { runner, reports } = await start();
  const many = Array.from({ length: 250 }, (_, n) => http(n + 1));
  runner.change('acme', { put: many, remove: [] });
  await vi.waitFor(() => expect(new Set(reports.map(({ test_id }) => test_id)).size).toBe(250), soon);
  const waiting = runner.runOnce('acme', http(999, '/slow'));
  waiting.catch(() => {});
  const [pid = 0] = await findPids();
  await new Promise((resolve) => setTimeout(resolve, 300));
  process.kill(pid, 'SIGKILL');
  await expect(waiting).rejects.toBeInstanceOf(RunnerGone);
  const before = reports.length;
  await vi.waitFor(() => expect(new Set(reports.slice(before).map(({ test_id }) => test_id)).size).toBe(250), soon);
  expect(kept.endings).toMatchObject([{ signal: 'SIGKILL' }]);
  expect(new Set(reports.map(({ result_id }) => result_id)).size).toBe(reports.length);
  await runner.close();
  expect(await findPids()).toEqual([]);
});

it.skipIf(process.platform !== 'linux')(
  'is killed where it hangs, and started again',
  async () => {
    const { runner, reports } = await start({ silentMs: 12_000 });
    runner.change('acme', { put: [http(1)], remove: [] });
    await vi.waitFor(() => expect(reports.length).toBeGreaterThan(0), soon);
    const [pid = 0] = await findPids();
    process.kill(pid, 'SIGSTOP');
    await vi.waitFor(async () => expect((await findPids()).some((other) => other !== pid)).toBe(true), soon);
    const before = reports.length;
    await vi.waitFor(() => expect(reports.length).toBeGreaterThan(before), soon);
  },
  120_000,
);

it('lets a tenant whose tests burn the CPU wait, and nobody else', async () => {
  const { runner, reports } = await start();
  const burn = { assertions: { body_matches: HARD } };
  runner.change('heavy', { put: Array.from({ length: 60 }, (_, n) => http(n + 1, '/hard', burn)), remove: [] });
  runner.change('light', { put: [http(1001), http(1002)], remove: [] });
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  const of = (owner: string) => reports.filter((report) => report.owner === owner);
  const lateOf = (report: RunReport) => report.figures['late.ms'] ?? 0;
  // At a run a second each.
  expect(of('light').length).toBeGreaterThan(24);
  expect(of('light').filter((report) => lateOf(report) > 2000)).toEqual([]);
  expect(of('light').filter(({ success }) => !success)).toEqual([]);
  expect(of('light').filter(({ figures }) => figures['late.rate.ms'] !== undefined)).toEqual([]);
  // It is not kept from all, and is told why.
  expect(of('heavy').length).toBeGreaterThan(5);
  await vi.waitFor(() => expect(of('heavy').some(({ figures }) => (figures['late.rate.ms'] ?? 0) > 1000)).toBe(true), soon);
}, 120_000);
