// The list of 10,000 synthetic tests, a page of 100 in each order, through the product's own procedure: quantiles of the server's time.
// usage: node --conditions=svc-source bench/synthetic/list.ts [--tests 10000] [--runs 12] [--rounds 20]
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { createMemoryBus } from '../../server/src/bus/index.ts';
import { measureCpuShare } from '../../server/src/features/endpoint/test-timing.ts';
import { RUN_HOURS } from '../../server/src/features/test-runs/run-sql.ts';
import { parseTenantId, systemClock, type TenantId } from '../../server/src/kernel/index.ts';
import { createTenant } from '../../server/src/relational/index.ts';
import { createTestDatabase } from '../../server/src/relational/test-database.ts';
import { rollUpHours } from '../../server/src/telemetry/index.ts';
import { openTestTelemetry } from '../../server/src/telemetry/test-telemetry.ts';
import {
  buildReport,
  callAs,
  createSyntheticReplica,
  publishRuns,
  type SyntheticReplica,
} from '../../server/src/testing/synthetics/test-synthetics.ts';

const { values } = parseArgs({
  options: {
    tests: { type: 'string', default: '10000' },
    // Of each test, spread over the day of which the list has figures.
    runs: { type: 'string', default: '12' },
    rounds: { type: 'string', default: '20' },
  },
});
const [tests, runs, rounds] = [Number(values.tests), Number(values.runs), Number(values.rounds)];
const BOUND_MS = 200;
const AT_ONCE = 500;
const DAY_MS = 86_400_000;
const ORDERS = ['state', 'name', 'last', 'p95', 'availability'] as const;

const COUNT = 'SELECT toFloat64(count()) AS n FROM test_runs WHERE tenant_id = {tenant:String}';
const countRuns = async (tenant: TenantId): Promise<number> =>
  (await telemetry.store.read<{ n: number }>(tenant, COUNT))[0]?.n ?? 0;

async function fill(replica: SyntheticReplica, tenant: TenantId, bus: Parameters<typeof publishRuns>[0]): Promise<void> {
  const caller = callAs(replica, tenant);
  for (let from = 0; from < tests; from += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, tests - from) }, (_, n) => ({
      ...{ name: `t${from + n}`, type: 'tcp' as const, target: `h${from + n}.example:443` },
    }));
    await caller.applyAll({ tests: some });
  }
  const { list } = await replica.tests.read(tenant);
  const good = { success: true, fault: undefined, error: undefined, type: 'tcp', runner_id: 'built-in' } as const;
  for (let run = runs; run > 0; run -= 1) {
    const atMs = Date.now() - 1000 - ((run - 1) * DAY_MS) / runs;
    await publishRuns(
      bus,
      tenant,
      list.map((one) => buildReport(one, atMs, good)),
    );
  }
  while ((await replica.runs.queries.heads(tenant)).length < tests || (await countRuns(tenant)) < tests * runs) await sleep(500);
  // As the product does behind each hour that is over.
  await rollUpHours(telemetry.store, tenant, { ...RUN_HOURS, nowMs: Date.now() + 6 * 60_000 });
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-list-'));
const bus = createMemoryBus({ log: pino({ level: 'silent' }), maxBytes: 1024 ** 3 });
const database = await createTestDatabase({ poolSize: 12 });
const telemetry = await openTestTelemetry();
const replica = createSyntheticReplica({ database, telemetry, bus, folder, clock: systemClock });
try {
  const tenant = parseTenantId('bench');
  await createTenant(database.relational, { id: tenant, name: 'bench' });
  await replica.runs.start((role) => role === 'consume');
  await replica.tests.start();
  await fill(replica, tenant, bus);
  await database.analyze();
  const caller = callAs(replica, tenant);
  const tookMs: number[] = [];
  const aloneMs: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const by of ORDERS) {
      const share = measureCpuShare();
      const began = performance.now();
      const page = await caller.list({ sort: [{ by, descending: true }] });
      const ms = performance.now() - began;
      if (page.total !== tests) throw new Error(`the list has ${page.total} tests`);
      tookMs.push(ms);
      aloneMs.push(ms * Math.min(share, measureCpuShare()));
    }
  const quantile = (all: number[], part: number): number =>
    all.toSorted((a, b) => a - b)[Math.floor(part * (all.length - 1))] ?? Number.NaN;
  const p95 = quantile(aloneMs, 0.95);
  const words = (all: number[]): string => `p50 ${quantile(all, 0.5).toFixed(0)} ms, p95 ${quantile(all, 0.95).toFixed(0)} ms`;
  process.stdout.write(
    `${tookMs.length} pages of ${tests} tests with ${runs} runs each: by the clock ${words(tookMs)}, with a core of its own ${words(aloneMs)}, ` +
      `${(p95 / BOUND_MS).toFixed(2)} of the aim of ${BOUND_MS} ms; load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  process.exitCode = p95 < BOUND_MS ? 0 : 1;
} finally {
  await replica.tests.close();
  await replica.runs.close();
  await telemetry.close();
  await bus.close();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
}
