import type { FastifyBaseLogger } from 'fastify';
import { systemClock } from '#kernel';
import { VERSION } from './build-info.ts';
import type { Config } from './config.ts';
import { createOtlpExport, type OtlpExportDeps } from './features/otlp-export/index.ts';
import { type Count, createSelfMetrics } from './features/self-metrics/index.ts';
import type { Stores } from './open-stores.ts';

interface MetricsComposeDeps {
  config: Config;
  stores: Pick<Stores, 'bus' | 'telemetry'>;
  procedures: () => ReadonlySet<string>;
  log: FastifyBaseLogger;
}

/** What the service says of itself, and the stores that slices work with, timed. */
export function composeSelfMetrics({ config, stores, procedures, log }: MetricsComposeDeps, counts: () => readonly Count[]) {
  const selfMetrics = createSelfMetrics({ version: VERSION, token: config.selfMetrics.token, counts, procedures, log });
  const { measureBus, measureTelemetry } = selfMetrics;
  return { selfMetrics, bus: measureBus(stores.bus), telemetry: measureTelemetry(stores.telemetry) };
}

/** The way out to the operator's collector. */
export const composeExport = ({
  config,
  ...threads
}: Omit<OtlpExportDeps, 'config' | 'consumes' | 'version' | 'clock'> & { config: Config }) =>
  createOtlpExport({
    ...threads,
    config: config.otlpExport,
    consumes: config.server.roles.includes('consume'),
    version: VERSION,
    clock: systemClock,
  });
