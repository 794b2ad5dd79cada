import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { FastifyBaseLogger } from 'fastify';
import { type BatchHandler, type Bus, isTransient, type Subscription } from '#bus';
import type { Clock, TenantId } from '#kernel';
import { type Relational, toTransient } from '#relational';
import type { ColumnStore } from '#telemetry';
import { type RunRow, readRun } from './domain/read-run.ts';
import { writeHeads } from './head-writer.ts';
import { buildRunBlock } from './run-rows.ts';

/** Runs read in one go before others get the event loop: about 2 ms. */
const AT_ONCE = 100;
const UNWRITTEN = 'What is known of tests could not be written.';
/** A fifth of a second: a failing test is to be known within two. */
const BATCH = { maxMessages: 5000, maxBytes: 32 * 1024 * 1024, lingerMs: 200 } as const;

export interface ConsumeDeps {
  bus: Bus;
  relational: Relational;
  columns: ColumnStore;
  /** Failing runs in a row that make a test of a tenant fail. */
  failingAfterOf: (tenant: TenantId) => Promise<(testId: string) => number>;
  clock: Clock;
  log: FastifyBaseLogger;
}

/**
 * Bus -> what is known of each test -> rows. Heads come first: a failing test is told while the column store is away, and its runs wait on the
 * bus. Both writes are idempotent.
 */
export function createConsumer({ relational, columns, failingAfterOf, clock, log }: Omit<ConsumeDeps, 'bus'>) {
  const stats = { storing: true };

  const handle: BatchHandler = async ({ messages }, signal) => {
    const nowMs = clock.now();
    const byTenant = new Map<TenantId, RunRow[]>();
    for (const [i, { tenant, value }] of messages.entries()) {
      if (i > 0 && i % AT_ONCE === 0) {
        await yieldToOthers();
        signal.throwIfAborted();
      }
      const run = readRun(value, tenant, nowMs);
      if (!run) continue;
      const runs = byTenant.get(tenant);
      if (runs) runs.push(run);
      else byTenant.set(tenant, [run]);
    }
    for (const [tenant, runs] of byTenant) {
      const neededOf = await failingAfterOf(tenant);
      await writeHeads({ relational, neededOf }, tenant, runs).catch((error) => Promise.reject(toTransient(error, UNWRITTEN)));
    }
    const rows = [...byTenant].flatMap(([tenant, runs]) => runs.map((run) => [tenant, run] as const));
    if (rows.length === 0) return;
    try {
      await columns.write(buildRunBlock(rows));
      stats.storing = true;
    } catch (cause) {
      if (isTransient(cause) && stats.storing)
        log.warn({ err: cause }, 'runs of tests cannot be stored for now: they wait on the bus');
      if (isTransient(cause)) stats.storing = false;
      throw cause;
    }
  };
  return { handle, stats };
}

export async function subscribeRuns(deps: ConsumeDeps) {
  const { handle, stats } = createConsumer(deps);
  const options = { topic: TOPICS.networkResults, group: GROUPS.tests, ...BATCH, probe: deps.columns.probe };
  const subscription: Subscription = await deps.bus.subscribe(options, handle);
  return { subscription, stats };
}
