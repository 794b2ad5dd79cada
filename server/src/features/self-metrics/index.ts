import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Bus } from '#bus';
import { type Count, EVERY_ROLE, keepsNothing, type Secret, type Slice } from '#kernel';
import type { Telemetry } from '#telemetry';
import { observeCounts } from './counts.ts';
import { mountScrape } from './ingress.ts';
import { measureBus } from './measure-bus.ts';
import { measureTelemetry } from './measure-telemetry.ts';
import { observeProcess } from './process-metrics.ts';

/** Series of one instrument at most; what is beyond is told together as otel.metric.overflow. */
const MAX_SERIES = 2000;

/** Read when asked, by a scrape and by the export alike: both see the same counters since the start. */
class AskedReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

export interface SelfMetricsDeps {
  version: string;
  token: Secret | undefined;
  /** Numbers that slices keep; asked at each collection. */
  counts: () => readonly Count[];
  procedures: () => ReadonlySet<string>;
  log: FastifyBaseLogger;
}

/**
 * What the service says of itself, through the OpenTelemetry SDK: `GET /metrics`, and `collect` for the export. `measureBus` and
 * `measureTelemetry` give the timed stores that slices work with.
 */
export function createSelfMetrics({ version, token, counts, procedures, log }: SelfMetricsDeps) {
  const reader = new AskedReader({ cardinalitySelector: () => MAX_SERIES });
  const resource = resourceFromAttributes({
    'service.name': 'svc',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter = provider.getMeter('svc', version);
  const serializer = new PrometheusSerializer();
  const unwatch = observeProcess(meter);
  observeCounts(meter, counts);
  async function collect(): Promise<ResourceMetrics> {
    const { resourceMetrics, errors } = await reader.collect();
    if (errors.length > 0) log.warn({ err: errors[0], faults: errors.length }, 'some of the own metrics could not be read');
    return resourceMetrics;
  }
  return {
    name: 'self-metrics',
    roles: EVERY_ROLE,
    data: keepsNothing('numbers of this process'),
    routes: (app: FastifyInstance): void =>
      mountScrape(app, { meter, token, procedures, render: async () => serializer.serialize(await collect()) }),
    collect,
    measureBus: (bus: Bus): Bus => measureBus(meter, bus),
    measureTelemetry: (telemetry: Telemetry): Telemetry => measureTelemetry(meter, telemetry),
    async close() {
      unwatch();
      await provider.shutdown();
    },
  } satisfies Slice & Record<string, unknown>;
}
