/**
 * Page views of real users: in from the bus, out as figures and verdicts, joined with what tests of the same host say
 * (docs/contract/rum.md). Who may send beacons, and what was refused, belongs to the slice `rum`, which also calls the procedures of this one.
 */
import type { EvidenceQuestion } from '@svc/contracts/causes/facts';
import type { HasRole, Health, RowsOfTable, Slice, TenantId } from '#kernel';
import { eraseTables, type Fence, type LeasedWork, readPages } from '#relational';
import { keptTables } from '#telemetry';
import { createRumPages } from './api.ts';
import { createConsumer, subscribeViews } from './consume.ts';
import type { RumViewsContext, RumViewsDeps } from './context.ts';
import { judgeTenant } from './evaluate.ts';
import { findUserEvidence } from './evidence.ts';
import { HOURS, TABLES, VIEWS } from './export.ts';
import { judgePast, type Past } from './judge-past.ts';
import { createViewReader } from './reader-clickhouse.ts';
import { createUsual } from './usual.ts';
import { startRounds, startVerdicts } from './worker.ts';

export type { HostOutcome, MarkedIncident, OutcomesOfHosts, RumViewsDeps } from './context.ts';

export function createRumViews(deps: RumViewsDeps) {
  const { relational, telemetry, clock } = deps;
  const columns = telemetry.store;
  const reader = createViewReader({ store: columns, clock });
  const context: RumViewsContext = { ...deps, reader, usualOf: createUsual({ reader, clock }) };
  const consumer = createConsumer({ ...deps, columns });
  const kept = keptTables(columns, { exported: [VIEWS, HOURS], derived: ['rum_marks', 'rum_day_marks'] });
  let subscription: Awaited<ReturnType<typeof subscribeViews>> | undefined;
  let verdicts: LeasedWork | undefined;
  let rounds: ReturnType<typeof startRounds> | undefined;

  async function health(): Promise<Health> {
    if (subscription === undefined || consumer.stats.storing) return { status: 'ok' };
    const waiting = await subscription.lag();
    return { status: 'degraded', detail: `${waiting} page views wait on the bus: the column store does not take them.` };
  }

  return {
    name: 'rum-views',
    roles: ['api', 'consume', 'evaluate'],
    /** Called beside those of apps. */
    pageProcedures: createRumPages(context),
    /** What the holder of the lease does for one tenant each minute. */
    judge: (tenant: TenantId, fence: Fence) => judgeTenant(context, tenant, fence),
    /** What real users know about an incident. */
    evidence: (tenant: TenantId, question: EvidenceQuestion) => findUserEvidence(context, tenant, question),
    /** Of the demo's day before it began. */
    judgePast: async (tenant: TenantId, past: Past) => await judgePast(context, tenant, past),
    async start(hasRole: HasRole): Promise<void> {
      if (hasRole('consume')) subscription = await subscribeViews({ ...deps, columns }, consumer);
      if (!hasRole('evaluate')) return;
      verdicts = startVerdicts(context);
      rounds = startRounds(deps, consumer.known);
    },
    async close(): Promise<void> {
      await subscription?.close();
      await verdicts?.close();
      await rounds?.close();
    },
    health,
    data: {
      owns: { relational: TABLES.map(({ table }) => table), ...kept.owns },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
        yield* kept.exportRows(tenant);
      },
      async eraseTenant(tenant: TenantId) {
        consumer.known.drop(tenant);
        return { ...(await eraseTables(relational, tenant, TABLES)), ...(await kept.eraseTenant(tenant)) };
      },
      // No view says whose it is.
      eraseSubject: async () => ({}),
    },
  } satisfies Slice & Record<string, unknown>;
}
