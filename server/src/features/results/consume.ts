import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { type BatchHandler, type BusMessage, isTransient } from '#bus';
import { type Clock, createTally, type Tally, type TenantId } from '#kernel';
import { parseResult, type Refusal } from './domain/parse-result.ts';
import type { ResultStore } from './store.ts';

/** Results parsed and encoded in one go before others get the event loop: about 2 ms. */
const AT_ONCE = 100;

export interface ConsumeStats {
  stored: number;
  /** Messages that can never become a result, by reason: left out, or set aside where they are none at all. */
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
  /** So many results of devices of a tenant were stored or refused for good. */
  onStored: ((tenant: TenantId, count: number) => void) | undefined;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Bus -> parsed results -> one batch of the store. A message that is no result is counted, told once a reason, set aside, and never blocks the rest. */
export function createConsumer({ store, onStored, clock, log }: Deps): Consumer {
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

  const handle: BatchHandler = async ({ topic, partition, messages, setAside }, signal) => {
    const work = store.newBatch();
    const foreign: BusMessage[] = [];
    const nowMs = clock.now();
    const added = new Map<string, number>();
    const came = new Map<TenantId, number>();
    for (const [i, message] of messages.entries()) {
      const { tenant, value, offset } = message;
      if (i > 0 && i % AT_ONCE === 0) {
        await yieldToOthers();
        signal.throwIfAborted();
      }
      came.set(tenant, (came.get(tenant) ?? 0) + 1);
      const parsed = parseResult(value, tenant, nowMs);
      if (typeof parsed === 'string') {
        refuse(parsed, { topic, partition, offset, tenant });
        // What came too late was a result, and is only too old to be kept.
        if (parsed !== 'out_of_time') foreign.push(message);
        continue;
      }
      work.add(tenant, parsed);
      added.set(tenant, (added.get(tenant) ?? 0) + 1);
    }
    await setAside?.(foreign, 'not_a_result');
    try {
      await work.write();
      for (const [tenant, count] of added) {
        stats.stored += count;
        tally.add(tenant, 'stored', count);
      }
      stats.storing = true;
      if (topic === TOPICS.endpointResults) for (const [tenant, count] of came) onStored?.(tenant, count);
    } catch (cause) {
      // What the store refuses of a batch says nothing of the store.
      if (!isTransient(cause)) throw cause;
      if (stats.storing) log.warn({ err: cause, topic, partition }, 'results cannot be stored for now: they wait on the bus');
      stats.storing = false;
      throw cause;
    }
  };
  return { handle, stats, tally };
}
