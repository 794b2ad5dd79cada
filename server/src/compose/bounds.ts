import { parseTenantId, systemClock } from '#kernel';
import { listTenants } from '#relational';
import { createCardinality } from '../features/cardinality/index.ts';
import { createDiskShares } from '../features/disk-shares/index.ts';
import { createQuarantine } from '../features/quarantine/index.ts';
import type { Platform } from './platform.ts';
import type { EndpointIntake, Lifecycle, Quarantine, SelfMetrics } from './threads.ts';

interface QuarantineThreads {
  lifecycle: Pick<Lifecycle, 'bus'>;
  endpointIntake: Pick<EndpointIntake, 'noteSetAside'>;
}

/** Gives consumers the bus: what they cannot handle is kept here. */
export const composeQuarantine = ({ stores, log }: Platform, slices: QuarantineThreads) =>
  createQuarantine({
    relational: stores.relational,
    sealer: stores.sealer,
    bus: slices.lifecycle.bus,
    onSetAside: (tenant, messages) => slices.endpointIntake.noteSetAside(tenant, messages),
    clock: systemClock,
    log,
  });

interface DiskThreads {
  quarantine: Pick<Quarantine, 'bus'>;
  selfMetrics: Pick<SelfMetrics, 'telemetry'>;
}

/** Gives the bus for what comes from outside: the last of the store's disk is kept for tenants below their share. */
export const composeDiskShares = ({ config, stores, log }: Platform, slices: DiskThreads) =>
  createDiskShares({
    bus: slices.quarantine.bus,
    store: slices.selfMetrics.telemetry.store,
    maxWaitingBytes: stores.bus.kind === 'log' ? config.bus.logMaxBytes : 0,
    listTenants: async () => (await listTenants(stores.relational)).map(({ id }) => parseTenantId(id)),
    log,
  });

export const composeCardinality = ({ stores, log }: Platform) =>
  createCardinality({ relational: stores.relational, clock: systemClock, log });
