/**
 * Synthetic tests: what is tested, from where and how often; secrets, maintenance, thresholds (docs/contract/tests.md).
 * Runners ask `planOf`; what they measured comes by the slice `test-runs`.
 */
import type { Test, TestSpec } from '@svc/contracts/tests/test';
import type { TRPCCreateRouterOptions } from '@trpc/server';
import { router } from '#api';
import { EVERY_ROLE, type RowsOfTable, type Slice, type TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { createRestProcedures, createTestProcedures } from './api.ts';
import { createKeepingProcedures } from './api-keeping.ts';
import { demandPatterns } from './change.ts';
import type { TestsContext, TestsDeps } from './context.ts';
import { coveredWithin, createCovering, type Subject } from './domain/maintained.ts';
import type { Span } from './domain/maintenance-times.ts';
import { heldBackBy } from './maintenance.ts';
import { createChanges, createHeldBack, createTestCache, readPlan, readSecretsOf } from './plan.ts';
import { readTenantSettings } from './settings.ts';
import { readRhythms } from './store.ts';
import { createWindowCache } from './window-cache.ts';

const TABLES: readonly PagedTable[] = [
  {
    table: 'synthetic_tests',
    columns: ['id', 'version', 'spec', 'created_by', 'created_at', 'updated_at', 'enabled_at'],
    key: ['id'],
  },
  { table: 'synthetic_test_pauses', columns: ['test_id', 'from_at', 'to_at'], key: ['test_id', 'from_at'] },
  // Without their values.
  { table: 'synthetic_test_credentials', columns: ['name', 'hosts', 'updated_by', 'updated_at'], key: ['name'] },
  {
    table: 'maintenance_windows',
    columns: ['id', 'name', 'spec', 'created_by', 'created_at', 'updated_at', 'ends_at'],
    key: ['id'],
  },
  { table: 'synthetic_test_settings', columns: ['version', 'settings', 'updated_at'], key: ['version'] },
];

export function createTests<Pages extends TRPCCreateRouterOptions>({ pages, ...deps }: TestsDeps<Pages>) {
  const cache = createTestCache(deps.relational);
  const windows = createWindowCache(deps.relational);
  const heldBack = createHeldBack(deps.bounds);
  const context: TestsContext = { ...deps, cache, windows };
  const changes = createChanges(deps.relational, [cache, windows]);
  return {
    name: 'tests',
    roles: EVERY_ROLE,
    procedures: router({
      ...pages,
      ...createTestProcedures(context),
      ...createRestProcedures(context),
      ...createKeepingProcedures(context),
    }),
    start: changes.start,
    close: changes.close,
    /** What a tenant's runners run: every enabled test that the rates leave room for, with the values of its secrets. */
    planOf: (tenant: TenantId) => readPlan({ ...context, heldBack }, tenant),
    /** Ids of those that the rates of tenant or host leave no room for, with so many runners. */
    heldBackByRate: heldBack.find,
    knownHeldBack: heldBack.known,
    secretsOf: (tenant: TenantId, test: Test) => readSecretsOf(context, tenant, test),
    onChanged: changes.onChanged,
    storeEvidence: deps.storeEvidence,
    /** `validation` for expressions and JSON paths that no runner could read. */
    demandPatterns: (spec: TestSpec): void => demandPatterns(deps, spec),
    read: (tenant: TenantId) => cache.read(tenant),
    find: (tenant: TenantId, id: string) => cache.find(tenant, id),
    settingsOf: (tenant: TenantId) => readTenantSettings(context, tenant),
    rhythmsOf: (tenant: TenantId, ids: readonly string[], since: Date) =>
      deps.relational.withSystemSql(tenant, (sql) => readRhythms(sql, ids, since)),
    /** Tells whether a window of the tenant covers a subject at a time. */
    maintainedOf: async (tenant: TenantId): Promise<(subject: Subject, atMs: number) => boolean> =>
      createCovering(await windows.read(tenant)),
    /** Tells when windows of the tenant cover a subject within a stretch of time. */
    maintainedWithin: async (tenant: TenantId, within: Span): Promise<(subject: Subject) => readonly Span[]> =>
      coveredWithin(await windows.read(tenant), within),
    /** The words of the maintenance window that holds back what is told of a subject; null for none. */
    heldBackBy: (tenant: TenantId, subject: Subject, at: Date) => heldBackBy(context, tenant, { ...subject, at }),
    /** Failing runs in a row that make a test of the tenant fail, by its id. */
    failingAfterOf: async (tenant: TenantId) => {
      const [{ byId }, settings] = await Promise.all([cache.read(tenant), readTenantSettings(context, tenant)]);
      return (testId: string): number => byId.get(testId)?.failing_after ?? settings.failing_after;
    },
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(deps.relational, tenant, table)) yield { table: table.table, rows };
      },
      // Pauses refer to tests.
      async eraseTenant(tenant: TenantId) {
        const erased = await eraseTables(deps.relational, tenant, [...TABLES.slice(1), ...TABLES.slice(0, 1)]);
        cache.drop(tenant);
        windows.drop(tenant);
        return erased;
      },
      // Who wrote them is an opaque id, which names nobody once the account is erased.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
