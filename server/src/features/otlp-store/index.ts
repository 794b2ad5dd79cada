import { randomUUID } from 'node:crypto';
import { GROUPS } from '@svc/contracts/bus-topics';
import { DEFAULT_SERIES_PER_DAY, type MetricClocks, type SeriesReport } from '@svc/otlp-wire/rows';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus, Subscription } from '#bus';
import { type Clock, type HasRole, type Health, keepsNothing, type Slice, systemClock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { Telemetry } from '#telemetry';
import { createStoreConsumer, SIGNALS, type StoredNewest } from './consume.ts';
import { createFleetPace } from './fleet-pace.ts';
import { createPace, type Pace } from './pace.ts';
import { createSeriesReader } from './series/read-series.ts';
import { createSeriesWarnings, type SeriesWarnings } from './series/warnings.ts';
import { storedCounts } from './stored-counts.ts';
import { createBuildThread } from './thread.ts';

/** Large blocks under load; without load half a second, so that data can be asked for within two. */
const LINGER_MS = 500;
const MAX_MESSAGES = 5000;
/** Each partition may hold one batch: a cluster gives one process more of them than the log on disk has. */
const BATCH_BYTES = { log: 28 * 1024 * 1024, memory: 24 * 1024 * 1024, kafka: 8 * 1024 * 1024 } as const;

export interface OtlpStoreDeps {
  bus: Bus;
  telemetry: Telemetry;
  /** By which replicas on one Kafka tell each other how late they store; without it each knows of its own alone. */
  relational?: Pick<Relational, 'listen' | 'withSystemSql'>;
  /** Days that points of metrics are kept, by source; 30 each where it is left out. */
  metricDays?: MetricClocks;
  /** New series of metrics that a tenant may bring in a day. */
  seriesPerDay?: number;
  /** Where it is kept how many series a tenant brought; without it nothing is known of days before the start. */
  cardinality?: SeriesLedger;
  clock?: Clock;
  log: FastifyBaseLogger;
}

/** Keeps what tenants brought of series, over restarts. */
export interface SeriesLedger {
  noteSeries(reports: readonly SeriesReport[], bound: number): void;
  /** New series by day since 1970. */
  seriesByDay(tenant: TenantId): Promise<ReadonlyMap<number, number>>;
}

const NO_LEDGER: SeriesLedger = { noteSeries: () => undefined, seriesByDay: async () => new Map() };

/** OpenTelemetry data: in from the bus, out as rows of spans, logs and metrics (docs/adr/0006). */
export function createOtlpStore({ bus, telemetry, metricDays, log, cardinality = NO_LEDGER, ...deps }: OtlpStoreDeps) {
  const { seriesPerDay = DEFAULT_SERIES_PER_DAY, clock = systemClock } = deps;
  const { store } = telemetry;
  const countedDays = cardinality.seriesByDay;
  const readSeries = createSeriesReader({ store, countedDays, most: 2 * seriesPerDay, clock, log });
  const thread = createBuildThread(log, { metricDays, seriesPerDay, readSeries });
  const pace = createPace();
  const fleet =
    bus.kind === 'kafka' && deps.relational
      ? createFleetPace({ relational: deps.relational, pace, own: randomUUID(), log })
      : undefined;
  // Without a fleet, whoever stores has received it too: by one host's clock.
  const noteStored =
    fleet?.noteStored ??
    (({ signal, tenant, receivedAtMs }: StoredNewest) => {
      if (bus.kind !== 'kafka') pace.stored(signal, tenant, Date.now() - receivedAtMs);
    });
  const warnings = createSeriesWarnings(seriesPerDay);
  const consumer = createStoreConsumer({
    ...{ store, thread, log },
    noteStored,
    noteSeries: (reports) => {
      warnings.note(reports);
      cardinality.noteSeries(reports, seriesPerDay);
    },
  });
  const subscriptions: Subscription[] = [];

  async function health(): Promise<Health> {
    if (consumer.failing.size === 0) return { status: 'ok' };
    const lags = await Promise.all(subscriptions.map((subscription) => subscription.lag()));
    const waiting = lags.reduce((sum, lag) => sum + lag, 0);
    const detail = `${waiting} OTLP requests wait on the bus: the column store does not take ${[...consumer.failing].join(', ')}.`;
    return { status: 'degraded', detail };
  }

  return {
    // Readiness has called it so before the receiver was a slice of its own.
    name: 'otlp',
    // Whoever receives hears from the replicas that store how late they are.
    roles: ['ingest', 'consume'],
    async start(hasRole: HasRole = () => true) {
      await fleet?.start();
      if (!hasRole('consume')) return;
      const bounds = {
        maxMessages: MAX_MESSAGES,
        maxBytes: BATCH_BYTES[bus.kind],
        lingerMs: LINGER_MS,
        lent: true,
        checks: true,
        inFlight: 2,
        probe: store.probe,
      };
      for (const topic of SIGNALS.keys())
        subscriptions.push(await bus.subscribe({ topic, group: GROUPS.otlpStore, ...bounds }, consumer.handle));
    },
    data: keepsNothing('it stores what the slices logs, traces and metrics own'),
    health,
    async close() {
      await Promise.all(subscriptions.map((subscription) => subscription.close()));
      await fleet?.close();
      await thread.close();
    },
    /** For the receiver of the same process. */
    holdMs: pace.holdMs,
    /** The same; undefined without a fleet. */
    receipt: fleet?.receipt,
    warningOf: warnings.warningOf,
    counts: () => storedCounts(consumer.counters, pace.held),
    /** What became of records. */
    storeCounters: () => structuredClone(consumer.counters),
    heldAnswers: () => pace.held,
  } satisfies Slice & Pick<Pace, 'holdMs'> & Pick<SeriesWarnings, 'warningOf'> & Record<string, unknown>;
}
