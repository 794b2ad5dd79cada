// Endpoint results a second over mTLS, acknowledged and stored, with the API asked beside it.
// usage: node --conditions=svc-source bench/endpoint-results.ts [--seconds 30] [--agents 64] [--workers 1] [--rate 0] [--batch 250]
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Credentials, enroll } from '@svc/desktop-agent/headless';
import { startTestingServer, type TestingServer } from '@svc/simulator/testing-server';
import { createApiClient, type Latencies, watchApi } from './api-client.ts';
import type { LoadOrder, LoadReport } from './load-worker.ts';
import { countStored } from './stored.ts';
import { readUsage, type Usage } from './usage.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    seconds: { ...text, default: '30' },
    agents: { ...text, default: '64' },
    workers: { ...text, default: '1' },
    rate: { ...text, default: '0' },
    batch: { ...text, default: '250' },
    window: { ...text, default: '2' },
  },
});
const [seconds, agents, workers] = [Number(values.seconds), Number(values.agents), Number(values.workers)];
const ENROLLING_AT_ONCE = 8;
const STORED_LIMIT_MS = 120_000;

async function enrolAll(server: TestingServer, token: string): Promise<Credentials[]> {
  const all: Credentials[] = [];
  let left = agents;
  const lane = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      all.push(await enroll({ server: server.url, token, facts: { agent_version: '1.4.2', device_name: `bench-${left}` } }));
    }
  };
  await Promise.all(Array.from({ length: ENROLLING_AT_ONCE }, lane));
  return all;
}

interface Sums {
  acknowledged: number;
  rejected: number;
  newest: Record<string, number>;
}

const sumOf = (reports: readonly LoadReport[]): Sums => ({
  acknowledged: reports.reduce((sum, report) => sum + report.acknowledged, 0),
  rejected: reports.reduce((sum, report) => sum + report.rejected, 0),
  newest: Object.assign({}, ...reports.map(({ newest }) => newest)),
});

/** Starts the senders and resolves when all is acknowledged; throws when a stream fails. */
async function drive(credentials: Credentials[], each: (acknowledged: number) => void): Promise<Sums> {
  const share = Math.ceil(credentials.length / workers);
  const reports: LoadReport[] = [];
  const started: ChildProcess[] = [];
  const runs = Array.from({ length: workers }, (_, at) => {
    const child = fork(join(import.meta.dirname, 'load-worker.ts'), [], { execArgv: process.execArgv });
    started.push(child);
    child.send({
      agents: credentials.slice(at * share, (at + 1) * share),
      firstSender: at * share,
      batch: Number(values.batch),
      window: Number(values.window),
      rate: Number(values.rate) / workers,
      seconds,
    } satisfies LoadOrder);
    return new Promise<void>((resolve, reject) => {
      child.on('message', (report: LoadReport) => {
        reports[at] = report;
        each(sumOf(reports.filter((one) => one !== undefined)).acknowledged);
        if (report.failed !== undefined) reject(new Error(`a sender's stream failed: ${report.failed}`));
        else if (report.type === 'done') resolve();
      });
      child.once('exit', (code) => reject(new Error(`a sender ended with ${code}`)));
    });
  });
  try {
    await Promise.all(runs);
  } finally {
    for (const child of started) child.kill('SIGKILL');
  }
  return sumOf(reports);
}

/** Waits until the newest acknowledged result of every agent can be queried: the consumer has caught up. */
async function waitUntilStored(newest: Record<string, number>, get: (path: string) => Promise<unknown>): Promise<number> {
  const begunMs = performance.now();
  for (const [agentId, ms] of Object.entries(newest)) {
    const path = `/v1/endpoints/${agentId}/results?limit=1&from=${encodeURIComponent(new Date(ms - 5000).toISOString())}`;
    for (;;) {
      const page = (await get(path)) as { items: { started_at: string }[] };
      if (Date.parse(page.items[0]?.started_at ?? '') >= ms) break;
      if (performance.now() - begunMs > STORED_LIMIT_MS) throw new Error(`results of ${agentId} are not stored in time`);
      await sleep(100);
    }
  }
  return (performance.now() - begunMs) / 1000;
}

interface Figures {
  sums: Sums;
  tookS: number;
  caughtUpS: number;
  before: Usage;
  after: Usage;
  api: Latencies;
}

function print({ sums, tookS, caughtUpS, before, after, api }: Figures, stored: number): void {
  const cpuS = after.cpuSeconds - before.cpuSeconds;
  const postgresS = after.childCpuSeconds - before.childCpuSeconds;
  const rate = sums.acknowledged / tookS;
  const lines = [
    `${Math.round(rate)} results/s acknowledged over ${tookS.toFixed(1)} s (${sums.acknowledged}, ${sums.rejected} rejected), ${agents} connections, batches of ${values.batch}`,
    `${stored} stored (${stored === sums.acknowledged ? 'all' : 'NOT ALL'}), the consumer had caught up ${caughtUpS.toFixed(1)} s after the last acknowledgement: ${Math.round(sums.acknowledged / (tookS + caughtUpS))} results/s stored`,
    `server ${(cpuS / (tookS + caughtUpS)).toFixed(2)} cores, ${((cpuS * 1e6) / sums.acknowledged).toFixed(0)} us a result; its PostgreSQL ${(postgresS / (tookS + caughtUpS)).toFixed(2)} cores`,
    `RSS ${after.rssMb.toFixed(0)} MB, at most ${after.peakRssMb.toFixed(0)} MB; its PostgreSQL ${after.childRssMb.toFixed(0)} MB`,
    `API beside it: ${api.count} calls, p50 ${api.p50Ms.toFixed(0)} ms, p95 ${api.p95Ms.toFixed(0)} ms, slowest ${api.maxMs.toFixed(0)} ms`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function measure(server: TestingServer): Promise<Figures> {
  const [token, apiToken] = (await Promise.all([
    server.svc('enroll-token', 'create', '--tenant', 'default', '--uses', String(agents), '--quiet'),
    server.svc('token', 'create', '--tenant', 'default', '--role', 'viewer', '--expires', '2h'),
  ])) as [string, string];
  const credentials = await enrolAll(server, token);
  const api = createApiClient(server, apiToken);
  const before = readUsage(server.pid);
  const watch = watchApi(api, 50);
  const begunMs = performance.now();
  const sums = await drive(credentials, (count) => process.stderr.write(`${count} acknowledged\n`));
  const tookS = (performance.now() - begunMs) / 1000;
  const latencies = watch.stop();
  const caughtUpS = await waitUntilStored(sums.newest, api.get);
  const after = readUsage(server.pid);
  api.close();
  return { sums, tookS, caughtUpS, before, after, api: latencies };
}

if (!existsSync(join(import.meta.dirname, '..', 'server', 'dist', 'main.js'))) throw new Error('run "npm run build" first');
const server = await startTestingServer({ built: true, env: { SVC_ENROLL_RATE_PER_MIN: '0', SVC_API_RATE_PER_MIN: '0' } });
try {
  const figures = await measure(server);
  await server.end();
  const stored = await countStored(server.dataDir);
  print(figures, stored);
  if (stored !== figures.sums.acknowledged) process.exitCode = 1;
} finally {
  await server.stop();
}
