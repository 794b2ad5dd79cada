import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureFairShare, repeatAtOnce } from '@svc/testkit/fair-share';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { createMemoryBus } from '#bus';
import { type Ctx, parseTenantId, systemClock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { type ColumnStore, openTelemetry, type Telemetry } from '#telemetry';
import { createLogs } from '../logs/index.ts';
import { createTopology } from '../topology/index.ts';
import { createTraces } from '../traces/index.ts';
import { createResults } from './index.ts';

const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
const log = pino({ level: 'silent' });
const QUIET = parseTenantId('quiet');
const LOUD = parseTenantId('loud');
const AT_ONCE = 20;
const AGENTS = 1000;
const HOUR_MS = 3_600_000;

const OWN = '{tenant:String} AS tenant_id';
const AGENT = "concat('00000000-0000-7000-8000-', leftPad(toString(number % 1000), 12, '0'))";
const agentOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Made by the store itself: what a tenant with a thousand devices and a busy shop has after some days. */
const ROWS: readonly [table: string, count: number, columns: string][] = [
  [
    'results',
    200_000,
    `arrayElement(['endpoint.wifi', 'endpoint.gateway', 'endpoint.session', 'endpoint.attribution'], number % 4 + 1) AS canary_type,
     ${AGENT} AS agent_id, now64(3) - toIntervalSecond(number % 432000) AS ts, generateUUIDv4(number) AS result_id,
     concat('target-', toString(number % 20), '.example') AS target, 1 AS present, 1 AS success, 'wifi' AS cause,
     map('rtt.avg.ms', number % 50, 'packet.loss.ratio', 0, 'total.ms', number % 900) AS metrics,
     map('endpoint.cause', 'wifi', 'endpoint.summary', repeat('Slow because of Wi-Fi. ', 10)) AS attributes`,
  ],
  [
    'spans',
    600_000,
    `now64(9) - toIntervalMillisecond(number % 3000000) AS ts, 1000000 AS duration_ns, toFixedString(hex(number % 4294967295), 16) AS trace_id,
     toFixedString(substring(hex(cityHash64(number)), 1, 8), 8) AS span_id, 'GET /' AS name, 2 AS kind, 'shop' AS service,
     map('user.id', toString(cityHash64(number)), 'note', repeat('x', 100)) AS attributes`,
  ],
  [
    'edges',
    150_000,
    `toUInt32(intDiv(toUnixTimestamp(now()), 60) - number % 8640) AS minute, concat('s', toString(number % 60)) AS source,
     concat('t', toString(number % 97)) AS target, 'call' AS kind, 10 AS calls, 1 AS errors, map(160, 5, 170, 5) AS durations, 1 AS version`,
  ],
  [
    'edge_minutes',
    8_640,
    'toUInt32(intDiv(toUnixTimestamp(now()), 60) - number) AS minute, 1 AS spans, 1 AS one_in, 1 AS version',
  ],
];
const LINES = `now64(9) - toIntervalMillisecond(number % 3000000) AS ts, concat('request ', toString(number), ' was slow') AS body,
  's' AS body_type, 'shop' AS service, 9 AS severity`;

/** So few that a statement stays below what one may take where its rows lie on two days, as they do around midnight. */
const ROWS_AT_ONCE = 100_000;

async function fill(store: ColumnStore, tenant: TenantId, [table, count, columns]: (typeof ROWS)[number]): Promise<void> {
  const names = [...columns.matchAll(/ AS ([a-z_]+)(?=,|$)/g)].map(([, name]) => name);
  const insert = `INSERT INTO ${table} (tenant_id, ${names.join(', ')}) SELECT ${OWN}, ${columns} FROM`;
  for (let first = 0; first < count; first += ROWS_AT_ONCE) {
    await store.derive(tenant, `${insert} numbers(${first}, ${Math.min(ROWS_AT_ONCE, count - first)})`);
  }
}

const ctxOf = (tenant: TenantId): Ctx => ({
  requestId: 'test',
  principal: { kind: 'account', id: 'someone', tenant, permissions: new Set(['otlp.read' as const]) },
});

let folder: string;
let telemetry: Telemetry;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-fair-shares-'));
  telemetry = await openTelemetry({ dataDir: folder, migrationsDir, log });
  const store = telemetry.store;
  for (const rows of ROWS) await fill(store, LOUD, rows);
  await fill(store, QUIET, ['logs', 200_000, LINES]);
});
afterAll(async () => {
  await telemetry.close();
  await rm(folder, { recursive: true, force: true });
});

function openSlices() {
  const deps = { telemetry, clock: systemClock };
  const relational = {} as Relational;
  return {
    logs: createCallerFactory(createLogs(deps).procedures),
    traces: createCallerFactory(createTraces(deps).procedures),
    topology: createCallerFactory(createTopology({ ...deps, relational, log }).procedures),
    results: createResults({ bus: createMemoryBus({ log }), telemetry, clock: systemClock, log }).queries,
  };
}
type Slices = ReturnType<typeof openSlices>;

const since = (hours: number) => {
  const toMs = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  return { fromMs: toMs - hours * HOUR_MS, toMs };
};
const agentIds = Array.from({ length: AGENTS }, (_, n) => agentOf(n));
const caller = { requestId: 'test', ctx: ctxOf(LOUD) };

/** The heaviest that a viewer can ask for, one a name. */
const ATTACKS: readonly [name: string, ask: (slices: Slices) => Promise<unknown>][] = [
  ['fleet summaries', ({ results }) => results.slowByStep(LOUD, { ...since(24 * 30), stepMs: 30 * 60_000 })],
  ['newest results of a thousand devices', ({ results }) => results.latestOf(LOUD, { agentIds })],
  [
    'strips of two hundred devices',
    ({ results }) => results.causeStrip(LOUD, { agentIds: agentIds.slice(0, 200), ...since(24), stepMs: HOUR_MS }),
  ],
  ['long histories', ({ results }) => results.history(LOUD, { agentId: agentOf(1), ...since(24 * 30), limit: 10_000 })],
  ['a month of one device, newest of each', ({ results }) => results.newestIn(LOUD, { agentId: agentOf(2), ...since(24 * 30) })],
  ['a month of sessions', ({ results }) => results.sessionTotals(LOUD, { agentId: agentOf(2), ...since(24 * 30) })],
  ["traces by nobody's attribute", ({ traces }) => traces(caller).list({ attribute: ['user.id=nobody'] })],
  [
    'the service map over a week',
    ({ topology }) => topology(caller).map({ from: new Date(Date.now() - 167 * HOUR_MS).toISOString() }),
  ],
];

describe('a log search of a quiet tenant takes at most twice as long, or 50 ms more, beside another tenant that asks 20 at once for', () => {
  test.each(ATTACKS)('%s', async (_, ask) => {
    const slices = openSlices();
    const logs = slices.logs({ requestId: 'test', ctx: ctxOf(QUIET) });
    let answered = 0;
    const measured = await measureFairShare({
      quiet: async () => void (await logs.list({ text: 'slow' })),
      loud: async (signal) => {
        await repeatAtOnce(AT_ONCE, signal, () => ask(slices).then(() => void answered++));
      },
      requests: 12,
    });
    expect(answered, 'the loud tenant is served too').toBeGreaterThan(0);
    expect(measured.beside.p95, JSON.stringify(measured)).toBeLessThanOrEqual(measured.boundMs);
  });
});
