import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { isTenantId, type TenantId } from '#kernel';
import { listErasedTenants, listTenants, releaseLease, takeLease } from './directory.ts';
import type { Relational } from './port.ts';

/** The database for work that nobody asked for: the same call as a request makes, on the system's connections. */
export type SystemDoor = Pick<Relational, 'withTenantSql'>;

export const asSystem = ({ withSystemSql }: Pick<Relational, 'withSystemSql'>): SystemDoor => ({ withTenantSql: withSystemSql });

export interface TenantRoundsOptions {
  /** Of the lease: one process a name makes rounds at a time. */
  name: string;
  /** From one round to the next. */
  everyMs: number;
  /** From the start to the first round. */
  firstMs: number;
  /** Also those that were erased, after the others: for what outlives its tenant. */
  alsoErased?: boolean;
  /** What is done for one tenant, on the system's connections alone: its own may all wait for its requests. It may be done twice at once, when a lease ran out; a rejection is logged and the next one follows. */
  visit(tenant: TenantId, system: SystemDoor): Promise<void>;
  log: FastifyBaseLogger;
}

/** Renewed before each tenant: longer than any visit should take, and how long a dead holder keeps the others waiting. */
const LEASE_MS = 15 * 60_000;

/** Periodic work over all tenants, owned by one process of those that ask for it. `close` waits for the visit that runs. */
export function startTenantRounds(
  relational: Relational,
  { name, everyMs, firstMs, alsoErased = false, visit, log }: TenantRoundsOptions,
): { close(): Promise<void> } {
  const system = asSystem(relational);
  const lease = { name, holder: randomUUID(), ttlMs: LEASE_MS };
  let closing = false;
  let running: Promise<void> = Promise.resolve();

  async function makeRound(): Promise<void> {
    if (closing || !(await takeLease(relational, lease))) return;
    try {
      const erased = alsoErased ? await listErasedTenants(relational) : [];
      for (const id of [...(await listTenants(relational)).map((tenant) => tenant.id), ...erased]) {
        if (closing || !(await takeLease(relational, lease))) return;
        if (!isTenantId(id)) continue;
        await visit(id, system).catch((error: unknown) =>
          log.error({ err: error, tenant: id, work: name }, 'periodic work failed for a tenant'),
        );
      }
    } finally {
      await releaseLease(relational, lease);
    }
  }

  const next = (): void => {
    running = running
      .then(makeRound)
      .catch((error: unknown) => log.warn({ err: error, work: name }, 'periodic work did not run'));
  };
  const first = setTimeout(next, firstMs).unref();
  const every = setInterval(next, everyMs).unref();
  return {
    async close() {
      closing = true;
      clearTimeout(first);
      clearInterval(every);
      await running;
    },
  };
}
