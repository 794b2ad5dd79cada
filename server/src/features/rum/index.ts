/**
 * Beacons of real users: which apps may send, the surface that takes them, and what was taken and refused (docs/contract/rum.md). What views
 * come to is the slice `rum-views`.
 */
import type { TRPCCreateRouterOptions } from '@trpc/server';
import type { FastifyInstance } from 'fastify';
import { router } from '#api';
import { EVERY_ROLE, type RowsOfTable, type Slice, type TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { createAppProcedures } from './api.ts';
import type { RumContext, RumDeps } from './context.ts';
import { createCounters } from './counters.ts';
import { mountIngress } from './ingress.ts';
import { mountPast } from './past.ts';
import { createRumQueries } from './queries.ts';
import { createKeyRegistry } from './registry.ts';
import { mountScript } from './script.ts';
import { demandApps } from './surface.ts';

export type { RumQueries } from './queries.ts';

const TABLES: readonly PagedTable[] = [
  { table: 'rum_keys', columns: ['key', 'app_id', 'configured', 'created_at', 'retires_at'], key: ['key'] },
  {
    table: 'rum_apps',
    columns: ['id', 'name', 'hosts', 'rate_per_min', 'configured', 'created_by', 'created_at'],
    key: ['id'],
  },
  { table: 'rum_counters', columns: ['app', 'word', 'count', 'first_at', 'last_at'], key: ['app', 'word'] },
  {
    table: 'rum_days',
    columns: ['day', 'app', 'word', 'field', 'count', 'first_at', 'last_at'],
    key: ['day', 'app', 'word', 'field'],
  },
];
const DIRECTORY = ['rum_key_directory', 'rum_app_directory', 'rum_unknown_keys'];

export function createRum<Pages extends TRPCCreateRouterOptions>({ pages, ...deps }: RumDeps<Pages>) {
  const { relational, clock, log } = deps;
  const registry = createKeyRegistry({
    ...{ relational, clock, log, ensureTenant: deps.ensureTenant },
    // Shut, it makes nothing of what is configured.
    configured: deps.config.enabled === false ? [] : deps.config.apps,
  });
  const counters = createCounters({ relational, clock, log });
  const context: RumContext = { ...deps, registry, counters };
  return {
    name: 'rum',
    roles: EVERY_ROLE,
    procedures: router({ ...pages, apps: createAppProcedures(context) }),
    async routes(app: FastifyInstance): Promise<void> {
      mountScript(app, context);
      await mountIngress(app, context);
      if (deps.judgePast) await mountPast(app, context, deps.judgePast);
    },
    async start(): Promise<void> {
      await registry.start();
      demandApps(context);
      counters.start();
    },
    queries: createRumQueries(context),
    /** For tests of its parts. */
    context,
    counts: counters.counts,
    data: {
      owns: { relational: [...TABLES.map(({ table }) => table), ...DIRECTORY] },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        await counters.flush(tenant);
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
      },
      async eraseTenant(tenant: TenantId) {
        await counters.flush(tenant);
        return await eraseTables(relational, tenant, TABLES);
      },
      // Who registered an app stands there by an opaque id, and no beacon says whose it is.
      eraseSubject: async () => ({}),
    },
    async close(): Promise<void> {
      await registry.close();
      await counters.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
