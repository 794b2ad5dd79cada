import { setTimeout as sleep } from 'node:timers/promises';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock, TenantId } from '#kernel';
import { createExportQueue } from './domain/export-queue.ts';
import type { ExportPoint } from './domain/result-points.ts';
import { resourceMetricsOf } from './resource-metrics.ts';
import type { Sender } from './sender.ts';
import { createTallies, type ExportTally } from './tallies.ts';

/** Some 15 MB; at most so many points a request, well below a collector's usual 4 MiB. */
const QUEUE = { maxPoints: 50_000, packetPoints: 2000 } as const;
const LAST_FLUSH_MS = 3000;

export interface ExporterDeps {
  sender: Sender;
  collectOwn: () => Promise<ResourceMetrics>;
  version: string;
  intervalMs: number;
  clock: Clock;
  log: FastifyBaseLogger;
  /** Bounds of what waits; for tests. */
  queue?: { maxPoints: number; packetPoints: number };
}

const countPoints = ({ scopeMetrics }: ResourceMetrics): number =>
  scopeMetrics.reduce((sum, { metrics }) => sum + metrics.reduce((points, { dataPoints }) => points + dataPoints.length, 0), 0);

const atMost = (work: Promise<unknown>): Promise<unknown> =>
  Promise.race([work, sleep(LAST_FLUSH_MS, undefined, { ref: false })]);

/** Sends own metrics and what tenants' results say, at each interval; one request a tenant and packet. Never holds up the bus. */
export function createExporter({ sender, collectOwn, version, intervalMs, clock, log, queue: bounds = QUEUE }: ExporterDeps) {
  const queue = createExportQueue(bounds);
  const tallies = createTallies(clock, log);
  let isHeldUp = false;
  let running: Promise<void> | undefined;

  async function sendOwn(): Promise<void> {
    const metrics = await collectOwn();
    const outcome = await sender.send(metrics);
    const points = countPoints(metrics);
    tallies.note(undefined, points, outcome);
    isHeldUp = !outcome.ok && outcome.retry;
    // Not kept: counters are sums since the start, what is sent next says it too.
    if (isHeldUp) tallies.drop(undefined, points);
  }

  async function flush(): Promise<void> {
    await sendOwn();
    for (let packet = isHeldUp ? undefined : queue.take(); packet; packet = queue.take()) {
      const outcome = await sender.send(resourceMetricsOf(packet.tenant, packet.points, version));
      tallies.note(packet.tenant, packet.points.length, outcome);
      if (outcome.ok || !outcome.retry) continue;
      tallies.dropPackets(queue.putBack(packet));
      return;
    }
  }

  const tick = (): Promise<void> => {
    running ??= flush()
      .catch((error: unknown) => log.error({ err: error }, 'metrics could not be exported'))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const timer = setInterval(() => void tick(), intervalMs).unref();

  return {
    add: (tenant: TenantId, points: readonly ExportPoint[]): void => tallies.dropPackets(queue.add(tenant, points)),
    /** Points that are not worth sending. */
    leaveOut: (tenant: TenantId, points: number): void => tallies.drop(tenant, points),
    queued: (tenant?: TenantId): number => queue.size(tenant),
    /** With the fault that holds everybody's up, while there is one. */
    tally(tenant: TenantId): Readonly<ExportTally> {
      const { lastError } = tallies.read(undefined);
      return isHeldUp ? { ...tallies.read(tenant), lastError } : tallies.read(tenant);
    },
    tallies: tallies.all,
    /** One delivery now, or the end of the one that is under way. */
    flush: tick,
    /** Tries once more to send what waits, three seconds at most. */
    async close(): Promise<void> {
      clearInterval(timer);
      await atMost((running ?? Promise.resolve()).then(tick));
      await atMost(sender.close());
    },
  };
}
export type Exporter = ReturnType<typeof createExporter>;
