import { type Count, type Slice, systemClock } from '#kernel';
import { createOtlpExport } from '../../features/otlp-export/index.ts';
import { createSelfMetrics } from '../../features/self-metrics/index.ts';
import { VERSION } from '../../process/build-info.ts';
import type { Platform } from '../platform.ts';
import type { Audit, Quarantine, SelfMetrics } from '../threads.ts';

const connectionCounts = (edges: ReturnType<Platform['openConnections']>): Count[] =>
  Object.entries(edges).flatMap(([listener, counts]) =>
    Object.entries(counts ?? {}).map(
      ([state, value]): Count => ({ name: 'svc.edge.connections', value, attributes: { listener, state } }),
    ),
  );

/** What the service says of itself, the numbers of all slices among it, and the stores that slices work with, timed. */
export function composeSelfMetrics(platform: Platform, slices: Readonly<Record<string, Slice>>) {
  const { config, stores, procedures, log } = platform;
  const counts = (): Count[] => [
    ...Object.values(slices).flatMap((slice) => slice.counts?.() ?? []),
    ...connectionCounts(platform.openConnections()),
  ];
  const selfMetrics = createSelfMetrics({ version: VERSION, token: config.selfMetrics.token, counts, procedures, log });
  return {
    ...selfMetrics,
    timedBus: selfMetrics.measureBus(stores.bus),
    telemetry: selfMetrics.measureTelemetry(stores.telemetry),
  };
}

interface ExportThreads {
  audit: Pick<Audit, 'appendAudit'>;
  quarantine: Pick<Quarantine, 'bus'>;
  selfMetrics: Pick<SelfMetrics, 'collect'>;
}

/** The way out to the operator's collector. */
export const composeOtlpExport = ({ config, stores, log }: Platform, { audit, quarantine, selfMetrics }: ExportThreads) =>
  createOtlpExport({
    config: config.otlpExport,
    bus: quarantine.bus,
    collectOwn: selfMetrics.collect,
    relational: stores.relational,
    appendAudit: audit.appendAudit,
    version: VERSION,
    clock: systemClock,
    log,
  });
