import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { BatchHandler } from '#bus';
import { type Clock, createTally, type Tally } from '#kernel';
import { parseResult, type Refusal } from './domain/parse-result.ts';
import type { ResultStore } from './store.ts';

/** Results parsed and encoded in one go before others get the event loop: about 2 ms. */
const AT_ONCE = 100;

export interface ConsumeStats {
  stored: number;
  /** Messages skipped for good, by reason: they can never become a result. */
  refused: Record<Refusal, number>;
  /** False while the last attempt to store failed; the bus then delivers again. */
  storing: boolean;
}

export interface Consumer {
  handle: BatchHandler;
  stats: ConsumeStats;
  tally: Tally<'stored' | Refusal>;
}

interface Deps {
  store: ResultStore;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Bus -> parsed results -> one batch of the store. A message that is no result is counted, told once a reason, and never blocks the rest. */
export function createConsumer({ store, clock, log }: Deps): Consumer {
  const stats: ConsumeStats = {
    stored: 0,
    refused: { not_json: 0, wrong_shape: 0, wrong_tenant: 0, out_of_time: 0 },
    storing: true,
  };
  const tally = createTally<'stored' | Refusal>();

  function refuse(reason: Refusal, where: { topic: string; partition: number; offset: bigint; tenant: string }): void {
    tally.add(where.tenant, reason);
    if (stats.refused[reason]++ === 0)
      log.warn({ ...where, offset: String(where.offset), reason }, 'a message on the bus is no result: skipped');
  }

  const handle: BatchHandler = async ({ topic, partition, messages }, signal) => {
    const work = store.newBatch();
    const nowMs = clock.now();
    const added = new Map<string, number>();
    for (const [i, { tenant, value, offset }] of messages.entries()) {
      if (i > 0 && i % AT_ONCE === 0) {
        await yieldToOthers();
        signal.throwIfAborted();
      }
      const parsed = parseResult(value, tenant, nowMs);
      if (typeof parsed === 'string') {
        refuse(parsed, { topic, partition, offset, tenant });
        continue;
      }
      work.add(tenant, parsed);
      added.set(tenant, (added.get(tenant) ?? 0) + 1);
    }
    try {
      await work.write();
      for (const [tenant, count] of added) {
        stats.stored += count;
        tally.add(tenant, 'stored', count);
      }
      stats.storing = true;
    } catch (cause) {
      if (stats.storing) log.warn({ err: cause, topic, partition }, 'results cannot be stored for now: they wait on the bus');
      stats.storing = false;
      throw cause;
    }
  };
  return { handle, stats, tally };
}
