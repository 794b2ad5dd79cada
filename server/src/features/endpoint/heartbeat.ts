import { GROUPS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import type { Relational } from '#relational';

const BEAT_MS = 5000;
const ALIVE_WITHIN_MS = 30_000;

/** Says in PostgreSQL that the view's consumer runs, so that every replica can tell; stops with the function it gives. */
export function startHeartbeat(relational: Relational, log: FastifyBaseLogger): () => void {
  const beat = () => {
    relational.directory('beat_consumer', [GROUPS.endpointView]).catch((error: unknown) => {
      log.warn({ err: error }, 'the heartbeat of the endpoint view could not be written');
    });
  };
  beat();
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** True while some process consumes endpoint results (docs/contract/results.md). */
export async function isCollectorRunning(relational: Relational): Promise<boolean> {
  const [row] = await relational.directory<{ age_ms: number }>('consumer_age', [GROUPS.endpointView]);
  return row !== undefined && row.age_ms < ALIVE_WITHIN_MS;
}
