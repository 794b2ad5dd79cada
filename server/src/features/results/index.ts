import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus, Subscription } from '#bus';
import { type Clock, type Health, ingestCounts, type Slice, type Subject, type TenantId } from '#kernel';
import { eraseColumns, type Telemetry } from '#telemetry';
import { createConsumer } from './consume.ts';
import { eraseAgents, RESULT_TABLES } from './erase.ts';
import { exportResults, toCanonical } from './export.ts';
import type { ResultQueries } from './queries.ts';
import { readSeenTargets, type SeenTarget } from './seen-targets.ts';
import { createClickhouseStore } from './store-clickhouse.ts';
import { createTargets, type TargetsDeps } from './targets.ts';

export type { CauseSpan, CauseStripQuery, HistoryQuery, ResultQueries, StoredResult, TimeWindow } from './queries.ts';

/** Everything that carries canonical results (docs/contract/results.md). */
const CONSUMED = [TOPICS.endpointResults, TOPICS.networkResults, TOPICS.rumEvents] as const;

/** Large blocks under load, half a second of waiting without: a part of the store is not made for every message. */
const BATCH = { maxMessages: 10_000, maxBytes: 32 * 1024 * 1024, lingerMs: 500 } as const;

export interface ResultsDeps {
  bus: Bus;
  telemetry: Telemetry;
  /** So many results of a tenant's devices were stored or refused for good. */
  onStored?: (tenant: TenantId, count: number) => void;
  clock: Clock;
  /** Told of targets beyond the bound of a tenant. */
  noteTargets?: TargetsDeps['note'];
  log: FastifyBaseLogger;
}

/**
 * Endpoint, network and RUM results: in from the bus, out as raw rows and as series (docs/contract/results.md).
 * `queries` are the functions that compose gives to other slices.
 */
export function createResults({ bus, telemetry, onStored, clock, noteTargets, log }: ResultsDeps) {
  const { store: columns, series } = telemetry;
  const targets = createTargets({ clock, note: noteTargets });
  const store = createClickhouseStore({ store: columns, series, targets, clock });
  const { handle, stats, tally } = createConsumer({ store, onStored, clock, log });
  const subscriptions: Subscription[] = [];

  async function health(): Promise<Health> {
    if (stats.storing) return { status: 'ok' };
    const lags = await Promise.all(subscriptions.map((subscription) => subscription.lag()));
    const waiting = lags.reduce((sum, lag) => sum + lag, 0);
    return { status: 'degraded', detail: `${waiting} results wait on the bus: the column store does not take them.` };
  }

  const queries: ResultQueries = store;
  return {
    name: 'results',
    roles: ['consume'],
    async start() {
      const options = { group: GROUPS.results, ...BATCH, probe: columns.probe };
      for (const topic of CONSUMED) subscriptions.push(await bus.subscribe({ topic, ...options }, handle));
    },
    health,
    async close() {
      await Promise.all(subscriptions.map((subscription) => subscription.close()));
    },
    queries,
    /** Targets of the sessions of all devices since a time, for pages that look over the whole tenant. */
    seenTargets: (tenant: TenantId, sinceMs: number) => readSeenTargets(columns, tenant, sinceMs),
    toCanonical,
    data: {
      owns: { columns: RESULT_TABLES },
      exportRows: (tenant: TenantId) => exportResults({ store, series }, tenant),
      eraseTenant: (tenant: TenantId) => eraseColumns(columns, tenant, RESULT_TABLES),
      eraseSubject: (tenant: TenantId, { agents }: Subject) => eraseAgents(columns, tenant, agents),
    },
    /** Counters of the consumer, for operations. */
    stats: () => structuredClone(stats),
    /** What was stored and refused, by tenant. */
    counts: () => ingestCounts(tally.read(), { source: 'results', success: 'stored' }),
  } satisfies Slice & {
    queries: ResultQueries;
    toCanonical: typeof toCanonical;
    seenTargets: (tenant: TenantId, sinceMs: number) => Promise<SeenTarget[]>;
    stats: () => unknown;
  };
}
