import { TOPICS } from '@svc/contracts/bus-topics';
import { CanonicalResult } from '@svc/contracts/results/canonical-result';
import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { Measured } from '@svc/contracts/tests/run-report';
import { Test, type TestSpecInput } from '@svc/contracts/tests/test';
import type { RunTest } from '@svc/runner/run-test';
import { type OpenRunner, openRunnerHere } from '@svc/runner/runner-handle';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { createMemoryBus } from '#bus';
import { type AuditEntry, type Ctx, systemClock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import type { KeptEvidence, RunnersDeps, TestsThread } from './context.ts';

export const GOOD: Measured = { success: true, phases: { connect: 1 }, total_ms: 2, figures: {}, assertions: [] };

/** A test as its owner keeps it. */
export const makeTest = (more: Partial<TestSpecInput> = {}): Test =>
  Test.parse({
    ...{ type: 'tcp', name: 'a test', target: '192.0.2.1:443', interval_seconds: 1, params: {} },
    ...more,
    ...{ id: uuidv7(), version: 1, created_by: 'somebody' },
    ...{ created_at: '2026-11-25T10:00:00.000Z', updated_at: '2026-11-25T10:00:00.000Z' },
  });

/** The owner of the tests as this slice sees it: plans in memory, evidence kept in a list. */
export function createTestOwner() {
  const plans = new Map<TenantId, PlannedTest[]>();
  const listeners = new Set<(tenant: TenantId | undefined) => void>();
  const evidence: { tenant: TenantId; kept: KeptEvidence }[] = [];
  let reads = 0;
  const thread: TestsThread = {
    planOf: async (tenant) => {
      reads += 1;
      return plans.get(tenant) ?? [];
    },
    onChanged: (listener) => listeners.add(listener),
    storeEvidence: async (tenant, kept) => void evidence.push({ tenant, kept }),
  };
  return {
    thread,
    evidence,
    reads: () => reads,
    set(tenant: TenantId, plan: readonly PlannedTest[]): void {
      plans.set(tenant, [...plan]);
      for (const listener of listeners) listener(tenant);
    },
  };
}

/** A bus in memory and what the runners published on it, by tenant. */
export async function createResultsBus() {
  const bus = createMemoryBus({ log: pino({ level: 'silent' }) });
  const results: CanonicalResult[] = [];
  await bus.subscribe({ topic: TOPICS.networkResults, group: 'test' }, async ({ messages }) => {
    for (const { value } of messages) results.push(CanonicalResult.parse(JSON.parse(value.toString('utf8'))));
  });
  return { bus, results };
}

export const ctxOf = (tenant: TenantId): Ctx => ({
  principal: { kind: 'account', id: 'somebody', tenant, permissions: new Set(['agent.read', 'agent.write']) },
  requestId: 'r',
});

export interface TestDepsOptions {
  relational: Relational;
  bus: RunnersDeps['bus'];
  tests: TestsThread;
  runTest?: RunTest;
  openRunner?: OpenRunner;
  audit?: AuditEntry[];
}

const unused = (): never => {
  throw new Error('no authority in this test');
};

export const testDeps = ({ relational, bus, tests, runTest, openRunner, audit = [] }: TestDepsOptions): RunnersDeps => ({
  relational,
  bus,
  appendAudit: async (_, entry) => void audit.push(entry),
  nameActors: async (_, ids) => new Map(ids.map((id) => [id, `name of ${id}`])),
  tests: () => tests,
  openRunner: openRunner ?? openRunnerHere(async () => ({ lacksOf: async () => ({}), runTest: runTest ?? (async () => GOOD) })),
  serverUrl: 'https://127.0.0.1:8443',
  authority: { issue: unused, identify: unused },
  grpcAddr: '127.0.0.1:0',
  grpcCa: '',
  enrollRatePerMinute: 0,
  pin: undefined,
  version: '0.1.0',
  clock: systemClock,
  log: pino({ level: 'silent' }),
});
