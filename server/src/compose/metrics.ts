import type { FastifyBaseLogger } from 'fastify';
import { systemClock } from '#kernel';
import { listTenants } from '#relational';
import type { Config } from '../config.ts';
import { createDiskShares } from '../features/disk-shares/index.ts';
import { createOtlpExport, type OtlpExportDeps } from '../features/otlp-export/index.ts';
import { createQuarantine, type QuarantineDeps } from '../features/quarantine/index.ts';
import { type Count, createSelfMetrics } from '../features/self-metrics/index.ts';
import { VERSION } from '../process/build-info.ts';
import type { Stores } from './stores.ts';

interface MetricsComposeDeps extends Required<Pick<QuarantineDeps, 'onSetAside'>> {
  config: Config;
  stores: Pick<Stores, 'bus' | 'telemetry' | 'relational' | 'sealer'>;
  procedures: () => ReadonlySet<string>;
  log: FastifyBaseLogger;
}

type QuarantineSlice = ReturnType<typeof createQuarantine>;

/** What the service says of itself, and the stores that slices work with: timed, and the bus with a place for what no consumer can handle. */
export function composeSelfMetrics(
  { config, stores, procedures, onSetAside, log }: MetricsComposeDeps,
  read: (quarantine: QuarantineSlice) => readonly Count[],
) {
  const counts = (): readonly Count[] => read(quarantine);
  const selfMetrics = createSelfMetrics({ version: VERSION, token: config.selfMetrics.token, counts, procedures, log });
  const { relational, sealer } = stores;
  const works = config.server.roles.includes('evaluate');
  const quarantine = createQuarantine({
    ...{ relational, sealer, works, onSetAside, log, clock: systemClock },
    bus: selfMetrics.measureBus(stores.bus),
  });
  const telemetry = selfMetrics.measureTelemetry(stores.telemetry);
  const diskShares = createDiskShares({
    ...{ bus: quarantine.bus, store: telemetry.store, log },
    maxWaitingBytes: stores.bus.kind === 'log' ? config.bus.logMaxBytes : 0,
    countTenants: async () => (await listTenants(relational)).length,
  });
  return { selfMetrics, quarantine, diskShares, bus: quarantine.bus, telemetry };
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
