import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startControlPlane } from '../src/testing/control-plane.ts';
import { sampleProcess } from './sample-process.ts';

/**
 * Runs the built agent as a process of its own against a small real control plane and records what it costs: average and largest
 * resident memory, processor time, bytes sent. Linux only.
 *   node desktop-agent/bench/measure-cost.ts --minutes 60 [--faster 10] [--trace HOST] [--write FILE] [--program FILE]
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '3' },
    faster: { type: 'string', default: '1' },
    trace: { type: 'string' },
    write: { type: 'string' },
    program: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'svc-agent.mjs') },
  },
});
const minutes = Number(values.minutes);
const faster = Number(values.faster);
const SAMPLE_MS = 1000;

const plane = await startControlPlane();
const stateDir = await mkdtemp(join(tmpdir(), 'svc-agent-cost-'));
const child = spawn(process.execPath, ['--no-deprecation', values.program, 'run', '--enroll-stdin', '--server', plane.url], {
  stdio: ['pipe', 'ignore', 'inherit'],
  env: {
    PATH: '/usr/bin:/bin',
    SVC_AGENT_STATE_DIR: stateDir,
    SVC_ENDPOINT_SESSION_TARGETS: `${plane.url}/`,
    ...(values.trace ? { SVC_ENDPOINT_TRACE_TARGETS: values.trace } : {}),
    SVC_ENDPOINT_WIFI_INTERVAL_SECONDS: String(60 / faster),
    SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS: String(60 / faster),
    SVC_ENDPOINT_PATH_INTERVAL_SECONDS: String(300 / faster),
    SVC_ENDPOINT_SESSION_INTERVAL_SECONDS: String(300 / faster),
  },
});
child.stdin.end(`${plane.token}\n`);

const pid = child.pid as number;
const ended = new Promise((resolve) => child.once('exit', resolve));
const rss: number[] = [];
const beganMs = performance.now();
const over = sleep(minutes * 60_000, 'over');
for (;;) {
  const sample = await sampleProcess(pid);
  if (!sample) break;
  rss.push(sample.rssBytes);
  if ((await Promise.race([over, sleep(SAMPLE_MS)])) === 'over') break;
}
const elapsedMs = performance.now() - beganMs;
const last = await sampleProcess(pid);
child.kill('SIGTERM');
await ended;
const cost = plane.received.filter((result) => result.canary_type === 'endpoint.agent').at(-1);
await plane.close();
await rm(stateDir, { recursive: true, force: true });
if (!last) throw new Error('the agent ended before its time');

const mib = (bytes: number): number => Math.round((bytes / 1024 / 1024) * 10) / 10;
const figures = {
  what: 'endpoint agent, bundled, Linux, one process; children that run for a moment are not in its memory but in its CPU',
  minutes: Math.round((elapsedMs / 60_000) * 10) / 10,
  cadence: faster === 1 ? 'default' : `${faster} times the default`,
  rssAverageMib: mib(rss.reduce((a, b) => a + b, 0) / rss.length),
  rssLargestMib: mib(Math.max(...rss)),
  cpuPercentOfOneCore: Math.round((last.cpuMs / elapsedMs) * 100 * 1000) / 1000,
  results: plane.received.length,
  sentBytesPerDayAtThisRate: cost ? Math.round(((cost.metrics['sent.bytes'] ?? 0) / elapsedMs) * 86_400_000) : null,
  node: process.version,
  at: new Date().toISOString(),
};
const text = JSON.stringify(figures, null, 2);
process.stdout.write(`${text}\n`);
if (values.write) {
  const before = await readFile(values.write, 'utf8').then(JSON.parse, () => ({}));
  await writeFile(values.write, `${JSON.stringify({ ...before, [figures.cadence]: figures }, null, 2)}\n`);
}
