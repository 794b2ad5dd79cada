import { isAssigned } from '@svc/contracts/tests/assign';
import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { RunnerFacts } from '@svc/contracts/tests/runner';
import type { FastifyBaseLogger } from 'fastify';
import type { TenantId } from '#kernel';
import type { TestsThread } from '../context.ts';
import { createPlanMemory, type PlanMemory } from '../domain/plan-memory.ts';

/** Changes that come together are read together. */
const GATHER_MS = 150;
/** From one reading of a tenant's plan to the next. */
const REST_MS = 1000;
const RETRY_MS = 5000;
/** Runners that fell silent are noticed by this, and whatever was missed. */
const LOOK_AGAIN_MS = 30_000;
const READ_AGAIN_MS = 5 * 60_000;

type OnPlan = (plan: PlannedTest[]) => void;

export interface PlanKeeperDeps {
  tests: () => Pick<TestsThread, 'planOf'>;
  listFacts: (tenant: TenantId) => Promise<readonly RunnerFacts[]>;
  log: FastifyBaseLogger;
}

type Planned = readonly PlannedTest[];

/** Reads tests and runners of one tenant and tells the runners of this process; `read` is never called beside itself. */
function createTenantPlan({ tests, listFacts }: PlanKeeperDeps, tenant: TenantId, memory: PlanMemory) {
  const watchers = new Map<OnPlan, string>();
  let facts: readonly RunnerFacts[] = [];
  let planned: Planned | undefined;
  let readMs = 0;
  let factsText = '';

  async function readTests(): Promise<void> {
    const startedMs = performance.now();
    // A change that comes while it is read has it read again.
    readMs = startedMs;
    try {
      planned = await tests().planOf(tenant);
    } catch (error) {
      readMs = 0;
      throw error;
    }
    memory.forgetOld();
  }

  /** Also of one that counts as silent yet: what it has in its spool it measured by a plan of its own. */
  function hasInPlan(runnerId: string, id: string): boolean {
    const test = planned?.find((one) => one.test.id === id)?.test;
    if (!test) return false;
    const asThere = facts.map((one) => (one.id === runnerId ? { ...one, connected: true } : one));
    return isAssigned(test, asThere, runnerId);
  }

  return {
    watchers,
    planned: (): Planned | undefined => planned,
    mayReport(runnerId: string, id: string): boolean {
      if (memory.has(runnerId, id)) return true;
      const may = hasInPlan(runnerId, id);
      if (may) memory.note(runnerId, [id]);
      return may;
    },
    /** The tests are others now. */
    forgetTests(): void {
      readMs = 0;
    },
    /** Whoever is new is told whether or not anything changed. */
    forgetFacts(): void {
      factsText = '';
    },
    async read(): Promise<void> {
      const isDue = readMs === 0 || performance.now() - readMs > READ_AGAIN_MS;
      if (isDue) await readTests();
      facts = await listFacts(tenant);
      const text = JSON.stringify(facts);
      if (!isDue && text === factsText) return;
      factsText = text;
      const enabled = (planned ?? []).filter(({ test }) => test.enabled);
      for (const [onPlan, runnerId] of watchers) {
        const own = enabled.filter(({ test }) => isAssigned(test, facts, runnerId));
        memory.note(
          runnerId,
          own.map(({ test }) => test.id),
        );
        onPlan(own);
      }
    },
  };
}

/** Calls `read` soon, never twice at once, and again after a rest where something came meanwhile or it failed. */
function createRereading(read: () => Promise<void>, onFailed: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let isWanted = false;
  let closed = false;

  async function run(): Promise<void> {
    timer = undefined;
    isReading = true;
    isWanted = false;
    let restMs = REST_MS;
    await read().catch((error: unknown) => {
      onFailed(error);
      isWanted = true;
      restMs = RETRY_MS;
    });
    isReading = false;
    if (isWanted) want(restMs);
  }

  function want(afterMs: number): void {
    if (isReading) isWanted = true;
    else if (!closed) timer ??= setTimeout(() => void run(), afterMs).unref();
  }
  return {
    want,
    close(): void {
      closed = true;
      clearTimeout(timer);
    },
  };
}

interface Kept {
  plan: ReturnType<typeof createTenantPlan>;
  rereading: ReturnType<typeof createRereading>;
}

/** Gives each runner of this process the tests that are its own, and again whenever tests or runners change. */
export function createPlanKeeper(deps: PlanKeeperDeps) {
  const tenants = new Map<TenantId, Kept>();
  // Outlives the last stream of a tenant: it comes again.
  const memories = new Map<TenantId, PlanMemory>();
  const keep = (tenant: TenantId): Kept => {
    const known = tenants.get(tenant);
    if (known) return known;
    const memory = memories.get(tenant) ?? createPlanMemory();
    memories.set(tenant, memory);
    const plan = createTenantPlan(deps, tenant, memory);
    const rereading = createRereading(plan.read, (error) =>
      deps.log.warn({ err: error, tenant }, 'the plan of a tenant could not be read'),
    );
    tenants.set(tenant, { plan, rereading });
    return { plan, rereading };
  };
  const lookAgain = setInterval(() => {
    for (const { rereading } of tenants.values()) rereading.want(GATHER_MS);
  }, LOOK_AGAIN_MS).unref();

  const noteTests = (tenant: TenantId): void => {
    const kept = tenants.get(tenant);
    kept?.plan.forgetTests();
    kept?.rereading.want(GATHER_MS);
  };

  return {
    /** Calls with the runner's tests, soon and after each change; the returned function ends it. */
    watch(tenant: TenantId, runnerId: string, onPlan: OnPlan): () => void {
      const { plan, rereading } = keep(tenant);
      plan.watchers.set(onPlan, runnerId);
      plan.forgetFacts();
      rereading.want(0);
      return () => {
        plan.watchers.delete(onPlan);
        if (plan.watchers.size > 0 || tenants.get(tenant)?.plan !== plan) return;
        rereading.close();
        tenants.delete(tenant);
      };
    },
    noteTests,
    noteRunners: (tenant: TenantId): void => tenants.get(tenant)?.rereading.want(GATHER_MS),
    /** Something may have been missed. */
    noteAll(): void {
      for (const tenant of tenants.keys()) noteTests(tenant);
    },
    /** Of a tenant that is watched: the runner's plan has a test of this id, or had it a while ago. */
    mayReport: (tenant: TenantId, runnerId: string, id: string): boolean =>
      tenants.get(tenant)?.plan.mayReport(runnerId, id) ?? false,
    planned: (tenant: TenantId): Planned | undefined => tenants.get(tenant)?.plan.planned(),
    close(): void {
      clearInterval(lookAgain);
      for (const { rereading } of tenants.values()) rereading.close();
      tenants.clear();
      memories.clear();
    },
  };
}

export type PlanKeeper = ReturnType<typeof createPlanKeeper>;
