import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '#kernel';
import type { Relational } from '#relational';
import type { Telemetry } from '#telemetry';
import type { ComputeDeps } from './compute.ts';

export interface TopologyDeps extends Pick<ComputeDeps, 'maxEdges' | 'noteConnections'> {
  telemetry: Pick<Telemetry, 'store'>;
  relational: Relational;
  clock: Clock;
  log: FastifyBaseLogger;
}
