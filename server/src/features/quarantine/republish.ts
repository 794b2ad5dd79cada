import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import { isTenantId, type TenantId } from '#kernel';
import { listTenants } from '#relational';
import { CHANNEL, noteFailedRetry, openMessage, type StoreDeps, takeNextRetry } from './store.ts';

interface RepublishDeps extends StoreDeps {
  bus: Pick<Bus, 'publish'>;
  log: FastifyBaseLogger;
}

/** After a failure, and for what was asked for while no server listened. */
const AGAIN_MS = 60_000;

/** Of one tenant in a row: a bus that takes nothing is not asked for each message of a tenant. */
const MAX_FAILURES = 10;

/** Publishes one message with its own headers and removes it, in one transaction; one that fails stays, with the reason, for later. */
async function republishNext(
  { relational, sealer, bus, log }: RepublishDeps,
  tenant: TenantId,
): Promise<'published' | 'failed' | 'none'> {
  return await relational.withSystemSql(tenant, async (sql) => {
    const next = await takeNextRetry(sql);
    if (!next) return 'none';
    try {
      const { headers, value } = await openMessage(sql, sealer, { tenant, id: next.id });
      await bus.publish(next.topic, [{ tenant, value, headers }]);
    } catch (error) {
      log.warn({ err: error, tenant, id: next.id }, 'a message of the quarantine was not published again');
      await noteFailedRetry(sql, next.id, { error, againMs: AGAIN_MS });
      return 'failed';
    }
    await sql.query('DELETE FROM bus_quarantine WHERE id = $1', [next.id]);
    return 'published';
  });
}

/**
 * Publishes what somebody asked to retry, as soon as it is asked. A crash between publishing and removing publishes a message twice, which
 * consumers of the bus bear with (bus/port.ts).
 */
export function createRepublisher(deps: RepublishDeps): { start(): Promise<void>; close(): Promise<void> } {
  const { relational, log } = deps;
  let stopListening: (() => Promise<void>) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closing = false;
  let running: Promise<void> = Promise.resolve();

  async function serve(tenant: TenantId): Promise<void> {
    for (let failures = 0; !closing && failures < MAX_FAILURES; ) {
      const outcome = await republishNext(deps, tenant);
      if (outcome === 'none') return;
      if (outcome === 'failed') failures++;
    }
  }
  const serveAll = async (): Promise<void> => {
    for (const { id: tenant } of await listTenants(relational)) {
      if (closing || !isTenantId(tenant)) continue;
      await serve(tenant).catch((err: unknown) => log.warn({ err, tenant }, 'retries of a tenant did not run'));
    }
  };
  const next = (work: () => Promise<void>): void => {
    running = running.then(work).catch((error: unknown) => log.warn({ err: error }, 'retries of the quarantine did not run'));
  };

  return {
    async start() {
      // No payload: a notification may have been missed.
      stopListening = await relational.listen(CHANNEL, (tenant) => next(() => (isTenantId(tenant) ? serve(tenant) : serveAll())));
      timer = setInterval(() => next(serveAll), AGAIN_MS).unref();
      next(serveAll);
    },
    async close() {
      closing = true;
      clearInterval(timer);
      await stopListening?.();
      await running;
    },
  };
}
