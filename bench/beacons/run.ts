// Beacons a second over TLS, acknowledged durably and stored, with the limiter off, beside a bare Fastify route that reads the same body.
// usage: node --conditions=svc-source bench/beacons/run.ts [--built] [--seconds 10] [--turns 3] [--connections 64]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startTestingServer, type TestingServer } from '@svc/simulator/testing-server';
import { pino } from 'pino';
import { parseTenantId } from '../../server/src/kernel/index.ts';
import { openTelemetry } from '../../server/src/telemetry/index.ts';
import { readUsage } from '../usage.ts';
import type { FromLoad, Order, Report } from './load.ts';

const option = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    built: { type: 'boolean', default: false },
    seconds: { ...option, default: '10' },
    turns: { ...option, default: '3' },
    connections: { ...option, default: '64' },
  },
});
const [SECONDS, TURNS, CONNECTIONS] = [Number(values.seconds), Number(values.turns), Number(values.connections)];
const AIM = 0.6;
const WARM_MS = 3000;
const STORED_LIMIT_MS = 120_000;
const KEY = 'app_bench_0123456789';
const METRICS_TOKEN = 'bench-metrics-token-of-32-characters';

const BROWSERS = ['chrome', 'safari', 'firefox', 'edge'];
/** As the SDK writes them: 300 bytes. */
const bodies = Array.from({ length: 200 }, (_, i) =>
  JSON.stringify({
    ...{ v: 1, key: KEY, consent: true, host: 'shop.example', page: `/product/p${i % 40}`, browser: BROWSERS[i % 4] },
    vitals: { ttfb_ms: 76 + i, fcp_ms: 136 + i, lcp_ms: 780 + 7 * i, inp_ms: 208, load_ms: 804 + i, cls: 0.0132 },
    ...{ errors: i % 50 === 0 ? 1 : 0, failed_requests: 0, sdk: '1.0.0' },
  }),
);

interface Turn extends Report {
  /** Of the serving processes, in the measured while. */
  cpuSeconds: number;
}

const cpuOf = (pid: number): number => {
  const { cpuSeconds, childCpuSeconds } = readUsage(pid);
  return cpuSeconds + childCpuSeconds;
};

function drive(port: number, { ca, pid }: { ca: string; pid: number }): Promise<Turn> {
  const child = fork(join(import.meta.dirname, 'load.ts'), [], { execArgv: process.execArgv });
  const order: Order = { port, ca, connections: CONNECTIONS, bodies, warmMs: WARM_MS, seconds: SECONDS };
  return new Promise((resolve, reject) => {
    let before = 0;
    child.on('message', (message: FromLoad) => {
      if (message.type === 'warm') before = cpuOf(pid);
      else resolve({ ...message.report, cpuSeconds: cpuOf(pid) - before });
    });
    child.once('exit', (code) => reject(new Error(`the load generator ended with ${code}`)));
    child.send(order);
  });
}

async function startBare(dataDir: string): Promise<{ port: number; child: ChildProcess }> {
  const child = fork(join(import.meta.dirname, 'bare.ts'), [join(dataDir, 'tls')], { execArgv: process.execArgv });
  const [port] = (await once(child, 'message')) as [number];
  return { port, child };
}

function readMetrics({ url }: TestingServer, ca: string): Promise<string> {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
  return new Promise((resolve, reject) => {
    const call = request(`${url}/metrics`, { ca, headers }, (answer) => text(answer).then(resolve, reject));
    call.once('error', reject);
    call.end();
  });
}

/** Seconds until no consumer has a beacon before it. */
async function waitUntilStored(server: TestingServer, ca: string): Promise<number> {
  const begunMs = performance.now();
  for (;;) {
    const lines = (await readMetrics(server, ca))
      .split('\n')
      .filter((line) => line.startsWith('svc_bus_lag{') && line.includes('svc.rum.events'));
    if (lines.length === 0) throw new Error('the server tells no lag of beacons');
    if (lines.every((line) => /\} 0(\.0*)?( |$)/.test(line))) return (performance.now() - begunMs) / 1000;
    if (performance.now() - begunMs > STORED_LIMIT_MS) throw new Error('not stored in time');
    await sleep(200);
  }
}

async function countViews(dataDir: string): Promise<number> {
  const migrationsDir = fileURLToPath(new URL('../../clickhouse/migrations', import.meta.url));
  const telemetry = await openTelemetry({ dataDir, migrationsDir, log: pino({ level: 'warn' }) });
  const sql = 'SELECT toFloat64(uniqExact(result_id)) AS n FROM rum_views WHERE tenant_id = {tenant:String}';
  try {
    return (await telemetry.store.read<{ n: number }>(parseTenantId('default'), sql))[0]?.n ?? 0;
  } finally {
    await telemetry.close();
  }
}

const total = (turns: readonly Turn[], of: (turn: Turn) => number): number => turns.reduce((sum, turn) => sum + of(turn), 0);
const rateOf = (turns: readonly Turn[]): number => total(turns, ({ measured }) => measured) / (TURNS * SECONDS);
const perCpu = (turns: readonly Turn[]): number =>
  total(turns, ({ measured }) => measured) / total(turns, (turn) => turn.cpuSeconds);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const describe = (name: string, turns: readonly Turn[]): void =>
  say(
    `${name}: ${Math.round(rateOf(turns))} a second (${turns.map(({ measured }) => Math.round(measured / SECONDS)).join(', ')}), ` +
      `${Math.round(perCpu(turns))} per CPU-second, p50 ${turns[0]?.p50Ms.toFixed(1)} ms, p99 ${Math.max(...turns.map(({ p99Ms }) => p99Ms)).toFixed(1)} ms` +
      `${turns.some(({ others }) => Object.keys(others).length > 0) ? `, others ${JSON.stringify(turns.map(({ others }) => others))}` : ''}`,
  );

const server = await startTestingServer({
  built: values.built,
  env: { SVC_RUM_APPS: `${KEY}=default/shop`, SVC_RUM_RATE_PER_MIN: '0', SVC_METRICS_TOKEN: METRICS_TOKEN },
});
const ca = readFileSync(join(server.dataDir, 'tls', 'ca.crt'), 'utf8');
const bare = await startBare(server.dataDir);
try {
  const [ours, theirs]: [Turn[], Turn[]] = [[], []];
  let behind = 0;
  let storedCpu = 0;
  // In turns, so that a slow minute of the machine is both's.
  for (let turn = 0; turn < TURNS; turn++) {
    theirs.push(await drive(bare.port, { ca, pid: bare.child.pid ?? 0 }));
    const began = cpuOf(server.pid);
    ours.push(await drive(Number(new URL(server.url).port), { ca, pid: server.pid }));
    behind = Math.max(behind, await waitUntilStored(server, ca));
    storedCpu += cpuOf(server.pid) - began;
  }
  const accepted = total(ours, (turn) => turn.accepted);
  await server.end();
  const stored = await countViews(server.dataDir);
  describe('beacons, acknowledged durably', ours);
  describe('a bare route', theirs);
  say(
    `${accepted} acknowledged, ${stored} stored, ${behind.toFixed(1)} s behind at the end, ${Math.round(stored / storedCpu)} stored per CPU-second`,
  );
  const ratio = rateOf(ours) / rateOf(theirs);
  say(
    `ratio of rates ${ratio.toFixed(2)} (aim ${AIM}: ${ratio >= AIM ? 'met' : 'missed'}), of rates per CPU-second ${(perCpu(ours) / perCpu(theirs)).toFixed(2)}`,
  );
  if (stored < accepted) process.exitCode = 1;
} finally {
  bare.child.disconnect();
  await server.stop();
}
