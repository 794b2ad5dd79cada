import { randomBytes } from 'node:crypto';
import { TOPICS } from '@svc/contracts/bus-topics';
import { ROLE_PERMISSIONS } from '@svc/contracts/permissions';
import { toCanonicalResult } from '@svc/contracts/tests/canonical-run';
import type { RunReport } from '@svc/contracts/tests/run-report';
import type { Test } from '@svc/contracts/tests/test';
import { checkExpression, checkJsonPath } from '@svc/runner/check-patterns';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { createCallerFactory } from '#api';
import { createFolderBlobs } from '#blobs';
import type { Bus } from '#bus';
import { createSealer } from '#crypto';
import { AppError, type Clock, type TenantId } from '#kernel';
import type { Telemetry } from '#telemetry';
import type { TestDatabase } from '#test-database';
import { createIncidents } from '../../features/incidents/index.ts';
import type { TestPagesDeps } from '../../features/test-pages/context.ts';
import { createTestPages } from '../../features/test-pages/index.ts';
import { createTestRuns } from '../../features/test-runs/index.ts';
import { createTests } from '../../features/tests/index.ts';

export interface SyntheticWorld {
  database: TestDatabase;
  telemetry: Telemetry;
  bus: Bus;
  /** Where evidence is kept. */
  folder: string;
  clock: Clock;
  isStoreAway?: () => boolean;
  runOnce?: TestPagesDeps['runOnce'];
}

/** One server of the product, as far as synthetic tests are concerned; with a built-in runner and one in Berlin. */
export function createSyntheticReplica({ database, telemetry, bus, folder, clock, isStoreAway, runOnce }: SyntheticWorld) {
  const { relational } = database;
  const appendAudit = async () => {};
  const store = {
    ...telemetry.store,
    write: async (block: Parameters<Telemetry['store']['write']>[0]) => {
      if (isStoreAway?.()) throw new AppError('unavailable', 'The column store does not answer.', { retryAfterSeconds: 0.1 });
      await telemetry.store.write(block);
    },
  };
  const common = { relational, clock, log: pino({ level: 'silent' }) };
  const incidents = createIncidents({
    ...common,
    appendAudit,
    nameActors: async () => new Map(),
    listPeople: async () => [],
    heldBackBy: (...asked: Parameters<typeof tests.heldBackBy>) => tests.heldBackBy(...asked),
  });
  const runs = createTestRuns({
    ...{ ...common, bus, telemetry: { ...telemetry, store }, blobs: createFolderBlobs(folder), maxEvidenceBytes: 2 ** 20 },
    failingAfterOf: (tenant) => tests.failingAfterOf(tenant),
    ...{ testsOf: async (tenant: TenantId) => (await tests.read(tenant)).byId, metricDays: 30 },
  });
  const listRunners = async () => [
    { id: 'built-in', name: 'built-in', labels: {}, connected: true, lacks: {} },
    { id: 'berlin', name: 'Berlin', labels: {}, connected: true, lacks: {} },
  ];
  const pages = createTestPages({
    ...{ ...common, appendAudit, listRunners, runs: runs.queries, signals: incidents, tests: () => tests },
    runOnce: runOnce ?? (async () => await Promise.reject(new Error('not here'))),
    readChanges: async () => [],
  });
  const tests = createTests({
    ...{ ...common, sealer: createSealer(randomBytes(32)), appendAudit, listRunners, nameActors: async () => new Map() },
    ...{ readRow: pages.readRow, storeEvidence: runs.queries.storeEvidence, pages: pages.pageProcedures },
    patterns: { expression: checkExpression, jsonPath: checkJsonPath },
    bounds: {
      maxTests: 20_000,
      maxBytes: 2 ** 26,
      maxRunsPerSecond: 10_000,
      maxTargetRunsPerSecond: 10_000,
      maxEvidenceBytes: 2 ** 20,
    },
  });
  return { incidents, runs, tests, pages };
}

export type SyntheticReplica = ReturnType<typeof createSyntheticReplica>;

/** Its procedures as an admin of a tenant calls them. */
export const callAs = ({ tests }: SyntheticReplica, tenant: TenantId) => {
  const principal = { kind: 'account' as const, id: 'ann', tenant, permissions: new Set(ROLE_PERMISSIONS.admin) };
  return createCallerFactory(tests.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
};

/** A failing run from Berlin that began at a time. */
export const buildReport = (
  { id, version, target }: Pick<Test, 'id' | 'version' | 'target'>,
  startedAtMs: number,
  more: Partial<RunReport> = {},
): RunReport => ({
  ...{ result_id: uuidv7(), test_id: id, test_version: version, runner_id: 'berlin', type: 'https', target, on_demand: false },
  ...{ planned_at: new Date(startedAtMs).toISOString(), started_at: new Date(startedAtMs).toISOString() },
  ...{ success: false, fault: 'refused', error: 'refused', phases: { dns: 2 }, total_ms: 5, figures: {}, assertions: [] },
  ...more,
});

export const publishRuns = async (bus: Bus, tenant: TenantId, reports: readonly RunReport[]): Promise<void> =>
  void (await bus.publish(
    TOPICS.networkResults,
    reports.map((one) => ({ tenant, value: Buffer.from(JSON.stringify(toCanonicalResult(one, tenant))) })),
  ));
