import { systemClock } from '#kernel';
import { createLogs } from '../../features/logs/index.ts';
import { createMetrics } from '../../features/metrics/index.ts';
import { createTopology } from '../../features/topology/index.ts';
import { createTraces } from '../../features/traces/index.ts';
import type { Platform } from '../platform.ts';
import type { Cardinality, Incidents, SelfMetrics } from '../threads.ts';

interface StoreThread {
  selfMetrics: Pick<SelfMetrics, 'telemetry'>;
}

export const composeLogs = (_: Platform, { selfMetrics }: StoreThread) =>
  createLogs({ telemetry: selfMetrics.telemetry, clock: systemClock });

export const composeTraces = (_: Platform, { selfMetrics }: StoreThread) =>
  createTraces({ telemetry: selfMetrics.telemetry, clock: systemClock });

export const composeMetrics = ({ config, stores, log }: Platform, { selfMetrics }: StoreThread) =>
  createMetrics({
    relational: stores.relational,
    telemetry: selfMetrics.telemetry,
    clock: systemClock,
    keptDays: config.metrics.application,
    log,
  });

interface TopologyThreads extends StoreThread {
  cardinality: Pick<Cardinality, 'noteConnections'>;
  incidents: Pick<Incidents, 'settle' | 'openKeys' | 'watchesEdges'>;
}

export const composeTopology = ({ stores, log }: Platform, slices: TopologyThreads) =>
  createTopology({
    relational: stores.relational,
    telemetry: slices.selfMetrics.telemetry,
    clock: systemClock,
    noteConnections: (tenant, beyond) => slices.cardinality.noteConnections(tenant, beyond),
    // Made after this slice, asked once all are there.
    incidents: {
      settle: (tenant, scope, present) => slices.incidents.settle(tenant, scope, present),
      openKeys: (tenant, kind) => slices.incidents.openKeys(tenant, kind),
      watchesEdges: (tenant) => slices.incidents.watchesEdges(tenant),
    },
    log,
  });
