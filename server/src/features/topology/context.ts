import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '#kernel';
import type { Relational } from '#relational';
import type { Telemetry } from '#telemetry';
import type { ComputeDeps } from './compute.ts';
import type { EdgeThreads } from './failing-edges.ts';

export interface TopologyDeps extends Pick<ComputeDeps, 'maxEdges' | 'noteConnections'> {
  telemetry: Pick<Telemetry, 'store'>;
  relational: Relational;
  /** Takes failing edges as signals; without it nothing is raised. */
  incidents?: EdgeThreads;
  clock: Clock;
  log: FastifyBaseLogger;
}
