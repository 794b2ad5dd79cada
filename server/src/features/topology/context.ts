import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '#kernel';
import type { Relational } from '#relational';
import type { Telemetry } from '#telemetry';

export interface TopologyDeps {
  telemetry: Pick<Telemetry, 'store' | 'memory' | 'readers'>;
  relational: Relational;
  clock: Clock;
  /** Whether this process does leased work once it has started. */
  works: boolean;
  log: FastifyBaseLogger;
}
