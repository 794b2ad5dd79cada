import { GROUPS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus, Subscription } from '#bus';
import type { Health, Slice } from '#kernel';
import { type Telemetry, tablesOf } from '#telemetry';
import type { MetricClocks } from './build/index.ts';
import { createPace, type Pace } from './pace.ts';
import { createStoreConsumer, SIGNALS } from './store/consume.ts';
import { createBuildThread } from './store/thread.ts';

/** Large blocks under load; without load half a second, so that data can be asked for within two. */
const LINGER_MS = 500;
const MAX_MESSAGES = 5000;
/** Each partition may hold one batch: a cluster gives one process more of them than the log on disk has. */
const BATCH_BYTES = { log: 28 * 1024 * 1024, memory: 24 * 1024 * 1024, kafka: 8 * 1024 * 1024 } as const;

export interface OtlpDeps {
  bus: Bus;
  telemetry: Telemetry;
  /** Days that points of metrics are kept, by source; 30 each where it is left out. */
  metricDays?: MetricClocks;
  log: FastifyBaseLogger;
}

/** OpenTelemetry data: in from the bus, out as rows of spans, logs and metrics (docs/adr/0006). */
export function createOtlp({ bus, telemetry, metricDays, log }: OtlpDeps) {
  const thread = createBuildThread(log, metricDays);
  const store = tablesOf(telemetry);
  const pace = createPace();
  const consumer = createStoreConsumer({ store, thread, pace, log });
  const subscriptions: Subscription[] = [];

  async function health(): Promise<Health> {
    if (consumer.failing.size === 0) return { status: 'ok' };
    const lags = await Promise.all(subscriptions.map((subscription) => subscription.lag()));
    const waiting = lags.reduce((sum, lag) => sum + lag, 0);
    const detail = `${waiting} OTLP requests wait on the bus: the column store does not take ${[...consumer.failing].join(', ')}.`;
    return { status: 'degraded', detail };
  }

  return {
    name: 'otlp',
    async start() {
      const bounds = {
        maxMessages: MAX_MESSAGES,
        maxBytes: BATCH_BYTES[bus.kind],
        lingerMs: LINGER_MS,
        lent: true,
        checks: true,
        inFlight: 2,
      };
      for (const topic of SIGNALS.keys())
        subscriptions.push(await bus.subscribe({ topic, group: GROUPS.otlpStore, ...bounds }, consumer.handle));
    },
    health,
    async close() {
      await Promise.all(subscriptions.map((subscription) => subscription.close()));
      await thread.close();
    },
    /** For the receiver of the same process. */
    holdMs: pace.holdMs,
    /** What became of records, for self-metrics. */
    storeCounters: () => structuredClone(consumer.counters),
    heldAnswers: () => pace.held,
  } satisfies Slice & { storeCounters: () => unknown; heldAnswers: () => Pace['held']; holdMs: Pace['holdMs'] };
}
