// Results a second through the consumer alone: embedded log -> parse -> blocks -> chDB, publisher in the same process.
// usage: node bench/results.ts [seconds]; prints one JSON line. The whole way over mTLS: bench/endpoint-results.ts.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import pino from 'pino';
import { createLogBus } from '../server/src/bus/index.ts';
import { createResults } from '../server/src/features/results/index.ts';
import { parseTenantId, systemClock } from '../server/src/kernel/index.ts';
import { openTelemetry } from '../server/src/telemetry/index.ts';

const SECONDS = Math.min(120, Math.max(1, Number(process.argv[2] ?? 10)));
const AGENTS = 5000;
/** Rounds made; the run ends when they are all stored, or at its time. */
const ROUNDS = 4;
/** The publisher waits while this many results are not stored yet. */
const MAX_WAITING = 60_000;
const tenant = parseTenantId('bench');
const log = pino({ level: 'warn' });

/** UUIDv7 of a time; the rest is random. */
const resultId = (ms: number): string => {
  const time = ms.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};
const random = (max: number): number => Math.round(Math.random() * max * 100) / 100;

type Fields = Pick<CanonicalResult, 'canary_type' | 'metrics' | 'attributes'> & Partial<CanonicalResult>;

const session = (host: string): Fields => ({
  canary_type: 'endpoint.session',
  server_address: host,
  server_port: 443,
  success: true,
  metrics: {
    'dns.ms': random(20),
    'connect.ms': random(40),
    'tls.ms': random(40),
    'ttfb.ms': random(300),
    'total.ms': random(900),
    redirects: 0,
  },
  attributes: { 'url.full': `https://${host}/`, 'http.response.status_code': '200', 'svc.session.role': 'target' },
});

function path(): Fields {
  const metrics: Record<string, number> = { hops: 9, 'packets.sent': 45 };
  for (let hop = 1; hop <= 9; hop++)
    Object.assign(metrics, { [`hop.${hop}.rtt.avg.ms`]: random(40), [`hop.${hop}.packet.loss.ratio`]: 0 });
  return {
    canary_type: 'endpoint.lastmile',
    server_address: '198.51.100.7',
    metrics,
    attributes: { 'network.trace.protocol': 'udp' },
  };
}

const wifi = (): Fields => ({
  canary_type: 'endpoint.wifi',
  metrics: {
    'rssi.dbm': -random(80),
    'noise.dbm': -92,
    'snr.db': random(50),
    'link.rate.mbps': random(800),
    channel: 36,
    'frequency.mhz': 5180,
  },
  attributes: { 'network.wifi.ssid': 'corp', 'network.wifi.band': '5' },
});

const gateway = (): Fields => ({
  canary_type: 'endpoint.gateway',
  metrics: {
    'rtt.avg.ms': random(9),
    'rtt.min.ms': 1,
    'rtt.max.ms': 12,
    'packet.loss.ratio': 0,
    'packets.sent': 5,
    'packets.lost': 0,
  },
  attributes: { 'network.gateway.address': '192.168.1.1', 'network.gateway.reachable': 'true' },
});

const verdict = (): Fields => ({
  canary_type: 'endpoint.attribution',
  metrics: {
    confidence: 0.9,
    'score.wifi': random(100),
    'score.local': random(100),
    'score.isp': random(100),
    'score.network': random(100),
  },
  attributes: { 'endpoint.cause': Math.random() < 0.1 ? 'wifi' : 'none', 'endpoint.summary': 'Nothing is slow on this device.' },
});

const agentCost = (): Fields => ({
  canary_type: 'endpoint.agent',
  metrics: { 'cpu.ratio': 0.002, 'memory.rss.bytes': 8e7, 'sent.bytes': 1e6, 'spool.results': 0, 'spool.dropped': 0 },
  attributes: {},
});

/** What one device sends in five minutes: eight results, about eight numbers each. */
const makeRound = (agent: string, ms: number): CanonicalResult[] =>
  [wifi(), gateway(), path(), session('a.example'), session('b.example'), session('c.example'), verdict(), agentCost()].map(
    (fields) => ({
      result_id: resultId(ms),
      tenant_id: tenant,
      agent_id: agent,
      started_at: new Date(ms).toISOString(),
      present: true,
      ...fields,
    }),
  );

/** One round of all devices as messages, made beforehand: making them must not count. */
function makeMessages(agents: readonly string[], ms: number): Buffer[] {
  return agents.flatMap((agent) => makeRound(agent, ms).map((result) => Buffer.from(JSON.stringify(result))));
}

async function measure(folder: string): Promise<object> {
  const telemetry = await openTelemetry({
    dataDir: folder,
    migrationsDir: fileURLToPath(new URL('../clickhouse/migrations', import.meta.url)),
    log,
  });
  const bus = await createLogBus({ folder: join(folder, 'log'), log });
  const results = createResults({ bus, telemetry, clock: systemClock, log });
  const agents = Array.from({ length: AGENTS }, () => randomUUID());
  const began = Date.now() - 3_600_000;
  const rounds = Array.from({ length: ROUNDS }, (_, round) => makeMessages(agents, began + round * 300_000));
  await results.start();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const cpu = process.cpuUsage();
  const start = performance.now();
  let published = 0;
  for (const messages of rounds) {
    for (let at = 0; at < messages.length && performance.now() - start < SECONDS * 1000; at += 500) {
      while (published - results.stats().stored > MAX_WAITING) await sleep(5);
      const some = messages.slice(at, at + 500);
      await bus.publish(
        TOPICS.endpointResults,
        some.map((value) => ({ tenant, value })),
      );
      published += some.length;
    }
  }
  while (results.stats().stored < published) await sleep(5);
  const seconds = (performance.now() - start) / 1000;
  const used = process.cpuUsage(cpu);
  await results.close();
  await bus.close();
  await telemetry.close();
  return {
    results: published,
    resultsPerSecond: Math.round(published / seconds),
    cpuMicrosPerResult: Number(((used.user + used.system) / published).toFixed(1)),
    loopDelayMs: {
      p50: Math.round(delay.percentile(50) / 1e6),
      p99: Math.round(delay.percentile(99) / 1e6),
      max: Math.round(delay.max / 1e6),
    },
    rssMb: Math.round(process.memoryUsage.rss() / 1e6),
  };
}

const folder = await mkdtemp(join(tmpdir(), 'svc-bench-results-'));
try {
  process.stdout.write(`${JSON.stringify(await measure(folder))}\n`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
