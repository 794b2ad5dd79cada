import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { GROUPS, TOPICS } from '@svc/contracts/bus-topics';
import type { Test } from '@svc/contracts/tests/test';
import type { FastifyBaseLogger } from 'fastify';
import type { BatchHandler, Bus, Subscription } from '#bus';
import type { Clock, TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import { readRun } from './domain/read-run.ts';
import { createProbeSeries, MAX_SERIES, type TestedRun } from './probe-series.ts';

const AT_ONCE = 100;
/** Nobody waits for them as for a failing test: few large blocks. */
const BATCH = { maxMessages: 10_000, maxBytes: 32 * 1024 * 1024, lingerMs: 2000 } as const;

export interface MetricsDeps {
  bus: Bus;
  columns: ColumnStore;
  testsOf: (tenant: TenantId) => Promise<ReadonlyMap<string, Test>>;
  /** Days that points are kept. */
  keepDays: number;
  clock: Clock;
  log: FastifyBaseLogger;
}

/**
 * Bus -> metrics of the tenant. In a group of its own: neither do failing tests wait for it, nor is anything written twice where it fails. Runs of
 * tests that are gone have no name any more, and make no series.
 */
export function createMetricsConsumer({ columns, testsOf, keepDays, clock, log }: Omit<MetricsDeps, 'bus'>): BatchHandler {
  const metrics = createProbeSeries({ keepDays });
  const warned = new Set<TenantId>();

  return async ({ messages }, signal) => {
    const nowMs = clock.now();
    const runs: TestedRun[] = [];
    const tests = new Map<TenantId, ReadonlyMap<string, Test>>();
    for (const [i, { tenant, value }] of messages.entries()) {
      if (i > 0 && i % AT_ONCE === 0) {
        await yieldToOthers();
        signal.throwIfAborted();
      }
      const run = readRun(value, tenant, nowMs);
      if (!run) continue;
      const byId = tests.get(tenant) ?? (await testsOf(tenant));
      tests.set(tenant, byId);
      const test = byId.get(run.testId);
      if (test) runs.push({ tenant, run, test });
    }
    const { series, points, leftOut } = metrics.build(runs);
    for (const [tenant, count] of leftOut) {
      if (!warned.has(tenant))
        log.warn({ tenant, points: count, bound: MAX_SERIES }, 'runs of tests make too many series: points are left out');
      warned.add(tenant);
    }
    try {
      // Names first: points without one would be found by nobody.
      if (series.rows > 0) await columns.write(series);
      if (points.rows > 0) await columns.write(points);
    } catch (cause) {
      metrics.forget();
      throw cause;
    }
  };
}

export const subscribeMetrics = (deps: MetricsDeps): Promise<Subscription> =>
  deps.bus.subscribe(
    { topic: TOPICS.networkResults, group: GROUPS.testMetrics, ...BATCH, probe: deps.columns.probe },
    createMetricsConsumer(deps),
  );
