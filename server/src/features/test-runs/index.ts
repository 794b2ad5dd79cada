/**
 * Runs of synthetic tests: in from the bus, out as lists, strips, series and what is known of each test on each runner
 * (docs/contract/tests.md). What is tested belongs to the slice `tests`.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { BlobStore } from '#blobs';
import type { Bus } from '#bus';
import type { Clock, HasRole, Health, RowsOfTable, Slice, TenantId } from '#kernel';
import { eraseTables, type PagedTable, type Relational, readPages, startTenantRounds } from '#relational';
import { keptTables, rollUpHours, type Telemetry } from '#telemetry';
import { type ConsumeDeps, subscribeRuns } from './consume.ts';
import { type MetricsDeps, subscribeMetrics } from './consume-metrics.ts';
import { createEvidence } from './evidence.ts';
import { HOURS, RUNS } from './export.ts';
import { createHeadQueries } from './head-store.ts';
import { createRunReader } from './reader-clickhouse.ts';
import { RUN_HOURS } from './run-sql.ts';
import { createStandings } from './standings.ts';

const TABLES: readonly PagedTable[] = [
  {
    table: 'synthetic_test_heads',
    columns: [
      'test_id',
      'runner_id',
      'last_at',
      'last_ok',
      'last_fault',
      'failing',
      'since',
      'last',
      'certificate',
      'certificate_changed_at',
    ],
    key: ['test_id', 'runner_id'],
  },
  {
    table: 'synthetic_test_evidence',
    columns: ['result_id', 'test_id', 'runner_id', 'started_at', 'bytes', 'screenshot', 'kept_until'],
    key: ['result_id'],
  },
];

const ROUNDS = { name: 'test-runs', everyMs: 10 * 60_000, firstMs: 45_000 } as const;

export interface TestRunsDeps {
  bus: Bus;
  relational: Relational;
  telemetry: Telemetry;
  blobs: BlobStore;
  failingAfterOf: ConsumeDeps['failingAfterOf'];
  testsOf: MetricsDeps['testsOf'];
  /** Days that points of metrics are kept. */
  metricDays: number;
  maxEvidenceBytes: number;
  clock: Clock;
  log: FastifyBaseLogger;
}

export function createTestRuns(deps: TestRunsDeps) {
  const { relational, telemetry, blobs, clock, log } = deps;
  const columns = telemetry.store;
  const reader = createRunReader({ store: columns, clock });
  const evidence = createEvidence({ relational, blobs, maxBytes: deps.maxEvidenceBytes, clock });
  const kept = keptTables(columns, { exported: [RUNS, HOURS], derived: ['test_marks'] });
  let metrics: Awaited<ReturnType<typeof subscribeMetrics>> | undefined;
  let consuming: Awaited<ReturnType<typeof subscribeRuns>> | undefined;
  let rounds: { close(): Promise<void> } | undefined;

  async function health(): Promise<Health> {
    if (consuming === undefined || consuming.stats.storing) return { status: 'ok' };
    const waiting = await consuming.subscription.lag();
    return { status: 'degraded', detail: `${waiting} runs of tests wait on the bus: the column store does not take them.` };
  }

  return {
    name: 'test-runs',
    roles: ['consume', 'evaluate'],
    async start(hasRole: HasRole) {
      if (hasRole('consume')) {
        consuming = await subscribeRuns({ ...deps, columns });
        metrics = await subscribeMetrics({ ...deps, columns, keepDays: deps.metricDays });
      }
      if (hasRole('evaluate'))
        rounds = startTenantRounds(relational, {
          ...ROUNDS,
          log,
          visit: async (tenant, system) => {
            await rollUpHours(columns, tenant, { ...RUN_HOURS, nowMs: clock.now() });
            await evidence.prune(tenant, system);
          },
        });
    },
    async close() {
      await consuming?.subscription.close();
      await metrics?.close();
      await rounds?.close();
    },
    health,
    queries: {
      ...createHeadQueries(relational),
      ...reader,
      standings: createStandings({ queries: reader, clock }),
      evidenceOf: evidence.find,
      readEvidence: evidence.read,
      /** Of one run, from its runner; again is the same. */
      storeEvidence: evidence.store,
    },
    prune: evidence.prune,
    data: {
      owns: { relational: TABLES.map(({ table }) => table), ...kept.owns },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
        yield* kept.exportRows(tenant);
      },
      async eraseTenant(tenant: TenantId) {
        await evidence.erase(tenant);
        return { ...(await eraseTables(relational, tenant, TABLES)), ...(await kept.eraseTenant(tenant)) };
      },
      // Of tests and machines: no person and no device of the fleet has runs.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
