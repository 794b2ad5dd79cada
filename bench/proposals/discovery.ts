// What nobody watches yet, out of many spans, devices and edges: time of one answer. Page views are not read by it, only the hosts of apps.
// usage: node --conditions=svc-source bench/proposals/discovery.ts [--scale 1] [--devices 10000] [--rounds 15]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { createCallerFactory } from '../../server/src/api/index.ts';
import { observe, type ProposalsThreads } from '../../server/src/compose/planes/proposals.ts';
import { createProposals } from '../../server/src/features/proposals/index.ts';
import { readSeenTargets } from '../../server/src/features/results/seen-targets.ts';
import { readSeenPeers, readSeenServices } from '../../server/src/features/topology/seen-peers.ts';
import { parseTenantId, type TenantId } from '../../server/src/kernel/index.ts';
import type { Relational, TenantSql } from '../../server/src/relational/index.ts';
import { type ColumnStore, openTelemetry } from '../../server/src/telemetry/index.ts';
import { DAYS, fillStore } from '../otlp/fill.ts';

const FULL_ROWS = 10_000_000;
const BOUND_MS = 1000;
const WARM_ROUNDS = 3;
/** Hosts of each kind, most of which nobody tests. */
const HOSTS = 1000;
const { values } = parseArgs({
  options: {
    // 1 is 10 million spans.
    scale: { type: 'string', default: '1' },
    devices: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '15' },
  },
});
const tenant = parseTenantId('bench');
const log = pino({ level: 'warn' });
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Each device measures six targets. */
const SESSIONS = `INSERT INTO latest_results (tenant_id, canary_type, agent_id, ts, result_id, server_address, server_port, target, present, success,
    attributes)
  SELECT {tenant:String}, 'endpoint.session', toString(intDiv(number, 6)), now64(3) - toIntervalSecond(number % 3600), generateUUIDv4(),
    concat('s', toString((number * 7) % ${HOSTS}), '.example') AS host, 443, host, 1, number % 50 != 0,
    if(number % 50 = 0, map('error.phase', if(number % 100 = 0, 'dns', 'connect')), map()) FROM numbers({count:UInt64})`;

/** Of each minute of a day, a hundred calls to whom nobody answers for. */
const EDGES = `INSERT INTO edges (tenant_id, minute, source, target, kind, calls, errors, duration_ns, durations, version)
  SELECT {tenant:String}, {to:UInt32} - 1 - intDiv(number, 100), concat('service-', toString(number % 20)),
    concat('p', toString((number * 13) % ${HOSTS}), '.example:5432'), 'database', 20, number % 3, 1e6, map(), 1 FROM numbers(144000)`;
const MINUTES = `INSERT INTO edge_minutes (tenant_id, minute, spans, version) SELECT {tenant:String}, {to:UInt32} - 1 - number, 1, 1 FROM numbers(1440)`;

async function fill(store: ColumnStore): Promise<void> {
  const rows = Math.round(FULL_ROWS * Number(values.scale));
  await fillStore(store, tenant, { rows, fromMs: Date.now() - DAYS * 86_400_000, only: 'spans', say });
  await store.derive(tenant, SESSIONS, { count: 6 * Number(values.devices) });
  const to = Math.floor(Date.now() / 60_000);
  await store.derive(tenant, EDGES, { to });
  await store.derive(tenant, MINUTES, { to });
}

/** What PostgreSQL holds is given: some thousand hosts at most. */
function threadsOf(store: ColumnStore): ProposalsThreads {
  const apps = [{ name: 'Shop', hosts: Array.from({ length: HOSTS }, (_, n) => `u${n}.example`) }];
  return {
    results: { seenTargets: (of: TenantId, since: number) => readSeenTargets(store, of, since) },
    topology: {
      seenPeers: (of: TenantId, window: { from: number; to: number }) => readSeenPeers(store, of, window),
      seenServices: (of: TenantId, since: number) => readSeenServices(store, of, since),
    },
    incidents: { targetsSince: async () => Array.from({ length: 50 }, (_, n) => ({ target: `i${n}.example`, count: n })) },
    rum: { queries: { apps: async () => apps } },
    tests: { settingsOf: async () => ({ certificate_warning_days: 21 }) },
    testRuns: { queries: { certificatesEnding: async () => [] } },
  } as unknown as ProposalsThreads;
}

function callerOf(store: ColumnStore) {
  const threads = threadsOf(store);
  const sql = { query: async () => ({ rows: [] }) } as unknown as TenantSql;
  const withTenantSql = async (_: unknown, work: (given: TenantSql) => unknown) => await work(sql);
  const known = Array.from({ length: HOSTS / 2 }, (_, n) => ({
    name: `t${n}`,
    type: 'https' as const,
    target: `https://s${n}.example/`,
  }));
  const unused = () => {
    throw new Error('discovery asks nobody');
  };
  const slice = createProposals({
    relational: { withTenantSql } as unknown as Relational,
    ...{ appendAudit: unused, authorTests: unused, hideTargets: unused, mask: unused, knownNames: unused, devicesNamed: unused },
    model: { describe: unused, ask: unused },
    knownTests: async () => known,
    observe: (of) => observe(threads, of),
    refuseHost: () => undefined,
    demandPatterns: () => {},
    clock: { now: Date.now },
    log,
  });
  const principal = { kind: 'account' as const, id: 'a', tenant, permissions: new Set(['test.write' as const]) };
  return createCallerFactory(slice.procedures)({ requestId: 'bench', ctx: { requestId: 'bench', principal } });
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-discovery-'));
const telemetry = await openTelemetry({
  dataDir: folder,
  migrationsDir: join(import.meta.dirname, '../../clickhouse/migrations'),
  log,
});
try {
  await fill(telemetry.store);
  const caller = callerOf(telemetry.store);
  const taken: { ms: number; cpuMs: number }[] = [];
  let found = 0;
  for (let round = -WARM_ROUNDS; round < Number(values.rounds); round += 1) {
    const [began, before] = [performance.now(), process.cpuUsage()];
    found = (await caller.discover({})).items.length;
    const { user, system } = process.cpuUsage(before);
    if (round >= 0) taken.push({ ms: performance.now() - began, cpuMs: (user + system) / 1000 });
  }
  taken.sort((a, b) => a.ms - b.ms);
  const median = taken[taken.length >> 1] ?? { ms: Number.NaN, cpuMs: Number.NaN };
  say(
    `${found} proposals: median ${median.ms.toFixed(0)} ms (${median.cpuMs.toFixed(0)} ms of CPU), most ${taken.at(-1)?.ms.toFixed(0)} ms`,
  );
  process.exitCode = found === 20 && median.ms < BOUND_MS ? 0 : 1;
} finally {
  await telemetry.close();
  rmSync(folder, { recursive: true, force: true });
}
