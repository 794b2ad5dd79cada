// How long the built control plane takes until it is ready, the first time and again, and what it holds when idle.
// usage: node --conditions=svc-source bench/start.ts [--idle 60]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { nodeFlags } from '../server/bin/node-flags.js';
import { readUsage } from './usage.ts';

const { values } = parseArgs({ options: { idle: { type: 'string', default: '60' } } });
const main = join(import.meta.dirname, '..', 'server', 'dist', 'main.js');
const dataDir = mkdtempSync(join(tmpdir(), 'svc-bench-start-'));
const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  SVC_DATA_DIR: join(dataDir, 'data'),
  SVC_LISTEN_ADDR: '127.0.0.1:47443',
  SVC_AGENT_GRPC_ADDR: '127.0.0.1:47444',
  SVC_PUBLIC_URL: 'https://localhost:47443',
  SVC_LOG_LEVEL: 'warn',
  SVC_DRAIN_GRACE_SECONDS: '0',
};

/** Starts it, waits until it says that it is ready, idles and ends it. */
async function startOnce(idleS: number): Promise<string> {
  const begunMs = performance.now();
  const child = spawn(process.execPath, [...nodeFlags, main], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const first = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof first[0] === 'number') throw new Error(`the server ended with ${first[0]}`);
  const readyS = (performance.now() - begunMs) / 1000;
  const before = readUsage(child.pid ?? 0);
  await sleep(idleS * 1000);
  const { rssMb, childRssMb, cpuSeconds } = readUsage(child.pid ?? 0);
  child.kill('SIGTERM');
  await once(child, 'exit');
  const idle = idleS > 0 ? `, ${(((cpuSeconds - before.cpuSeconds) / idleS) * 100).toFixed(1)} % of a core while idle` : '';
  return `ready after ${readyS.toFixed(2)} s (${before.cpuSeconds.toFixed(2)} s CPU); RSS after ${idleS} s ${rssMb.toFixed(0)} MB, its PostgreSQL ${childRssMb.toFixed(0)} MB with shared pages counted in each process${idle}`;
}

try {
  process.stdout.write(`first start: ${await startOnce(0)}\n`);
  for (const idleS of [0, 0, Number(values.idle)]) process.stdout.write(`start again: ${await startOnce(idleS)}\n`);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
