import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { TOPICS } from '@svc/contracts/bus-topics';
import { createLogBuilder, createSpanBuilder, giveMemory } from '@svc/otlp-wire/rows';
import pino from 'pino';
import { createStoreConsumer } from '../../server/src/features/otlp-store/consume.ts';
import { createBuildThread } from '../../server/src/features/otlp-store/thread.ts';
import { parseTenantId } from '../../server/src/kernel/index.ts';
import { type ColumnStore, openTelemetry } from '../../server/src/telemetry/index.ts';
import { makePayload } from './payload.ts';

/** CPU of making blocks out of requests, alone and with inserting them (synced) and all merges that follow. */
const { values } = parseArgs({
  options: {
    batches: { type: 'string', default: '20' },
    'batch-mib': { type: 'string', default: '24' },
    tenants: { type: 'string', default: '1' },
  },
});
const batches = Number(values.batches);
const tenants = Array.from({ length: Number(values.tenants) }, (_, i) => parseTenantId(`tenant-${i}`));
const log = pino({ level: 'warn' });
const nowMs = Date.now();
const ITEMS = 512;

type Signal = 'traces' | 'logs';
const BUILDERS = { traces: createSpanBuilder, logs: createLogBuilder } as const;
const TABLES = { traces: 'spans', logs: 'logs' } as const;
const TOPIC = { traces: TOPICS.otlpTraces, logs: TOPICS.otlpLogs } as const;

function makeRequests(signal: Signal): Buffer[] {
  const bytes = Number(values['batch-mib']) * 1024 * 1024;
  const requests: Buffer[] = [];
  for (let size = 0, seed = 1; size < bytes; seed++) {
    const request = makePayload(signal, { items: ITEMS, nowMs, tenant: 'tenant-0', seed });
    requests.push(request);
    size += request.length;
  }
  return requests;
}

function cpuSeconds(before?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
const perCpu = (rows: number, seconds: number): string => `${Math.round(rows / seconds / 1000)} k rows a CPU-second`;

function build(signal: Signal, requests: readonly Buffer[]): string {
  const builder = BUILDERS[signal]();
  const round = () => {
    for (const [i, bytes] of requests.entries())
      builder.add({
        tenant: 'tenant-0',
        bytes,
        at: nowMs,
        partition: 0,
        offsetLow: i,
        offsetHigh: 0,
        large: true,
        stored: undefined,
      });
    let rows = 0;
    for (const block of builder.finish().blocks) {
      rows += block.rows;
      giveMemory([block.bytes.buffer as unknown as SharedArrayBuffer]);
    }
    return rows;
  };
  for (let i = 0; i < 5; i++) round();
  const before = process.cpuUsage();
  let rows = 0;
  for (let i = 0; i < batches; i++) rows += round();
  return perCpu(rows, cpuSeconds(before));
}

async function merged(store: ColumnStore): Promise<void> {
  const sql = "SELECT count() AS merges FROM system.merges WHERE {tenant:String} != ''";
  for (let quiet = 0; quiet < 4; ) {
    await sleep(200);
    const [row] = await store.read<{ merges: number }>(parseTenantId('tenant-0'), sql);
    quiet = row?.merges === 0 ? quiet + 1 : 0;
  }
}

async function insert(store: ColumnStore, signal: Signal, requests: readonly Buffer[]): Promise<string> {
  const thread = createBuildThread(log);
  const { handle } = createStoreConsumer({ store, thread, log });
  const { signal: ends } = new AbortController();
  let offset = 0n;
  const batch = () => ({
    topic: TOPIC[signal],
    partition: 0,
    messages: requests.map((value, i) => ({
      tenant: tenants[i % tenants.length] ?? parseTenantId('tenant-0'),
      value,
      headers: { at: String(nowMs) },
      offset: offset++,
    })),
  });
  await handle(batch(), ends);
  await merged(store);
  const before = process.cpuUsage();
  const began = performance.now();
  for (let i = 0; i < batches; i++) await handle(batch(), ends);
  const wallSeconds = (performance.now() - began) / 1000;
  await merged(store);
  const seconds = cpuSeconds(before);
  await thread.close();
  const rows = batches * requests.length * ITEMS;
  const sql = `SELECT round(sum(bytes_on_disk) / sum(rows), 1) AS bytes, count() AS parts FROM system.parts
    WHERE active AND table = '${TABLES[signal]}' AND {tenant:String} != ''`;
  const [disk] = await store.read<{ bytes: number; parts: number }>(parseTenantId('tenant-0'), sql);
  const rss = Math.round(process.memoryUsage.rss() / 1024 ** 2);
  return `${perCpu(rows, seconds)}, ${Math.round(rows / wallSeconds / 1000)} k a second, ${disk?.bytes} B a row in ${disk?.parts} parts, RSS ${rss} MiB`;
}

const folder = await mkdtemp(join(tmpdir(), 'svc-bench-otlp-'));
const migrationsDir = join(import.meta.dirname, '../../clickhouse/migrations');
const telemetry = await openTelemetry({ dataDir: folder, migrationsDir, log });
try {
  for (const signal of ['traces', 'logs'] as const) {
    const requests = makeRequests(signal);
    process.stdout.write(`${signal}, ${requests.length * ITEMS} a batch of ${tenants.length} tenants\n`);
    process.stdout.write(`  built: ${build(signal, requests)}\n`);
    process.stdout.write(`  built, inserted, merged: ${await insert(telemetry.store, signal, requests)}\n`);
  }
} finally {
  await telemetry.close();
  await rm(folder, { recursive: true, force: true });
}
