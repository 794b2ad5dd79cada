import type { FastifyBaseLogger } from 'fastify';
import { keepsNothing, type Slice } from '#kernel';
import { type Relational, startTenantRounds } from '#relational';
import type { SeriesStore } from '#telemetry';

/** A tenant whose hours did not change costs one small read. */
const ROUNDS = { name: 'samples-roll-up', everyMs: 10 * 60_000, firstMs: 60_000 } as const;

export interface RollUpDeps {
  relational: Relational;
  series: Pick<SeriesStore, 'rollUp'>;
  /** From the start to the first round, milliseconds. Default a minute. */
  firstMs?: number;
  log: FastifyBaseLogger;
}

/** Rolls samples up by the hour before they expire, tenant by tenant, on the one process that has the lease. No feature owns samples. */
export function createSampleRollUps({ relational, series, firstMs = ROUNDS.firstMs, log }: RollUpDeps) {
  let rounds: ReturnType<typeof startTenantRounds> | undefined;
  return {
    name: 'sample-roll-ups',
    roles: ['evaluate'],
    data: keepsNothing('samples and their hours go with the slice results'),
    start: () => {
      rounds = startTenantRounds(relational, {
        ...ROUNDS,
        firstMs,
        log,
        visit: async (tenant) => {
          const hours = await series.rollUp(tenant);
          if (hours > 0) log.info({ tenant, hours }, 'samples were rolled up');
        },
      });
    },
    close: async () => await rounds?.close(),
  } satisfies Slice;
}
