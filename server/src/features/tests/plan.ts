import type { Test } from '@svc/contracts/tests/test';
import type { Sealer } from '#crypto';
import { isTenantId, type TenantId } from '#kernel';
import { asSystem, type Relational } from '#relational';
import { findHeldBack, type RateBounds } from './domain/run-rates.ts';
import { secretsOfTest } from './domain/secret-references.ts';
import { openSecrets, type SecretValue } from './secret-store.ts';
import { findTests, readTests, TESTS_CHANNEL } from './store.ts';

/** Of the tests kept in memory over all tenants, as JSON: 60,000 as they are written as a rule. */
const MAX_KEPT_CHARS = 96 * 1024 * 1024;

export interface TenantTests {
  /** By name. */
  list: readonly Test[];
  byId: ReadonlyMap<string, Test>;
}

/** A test as a runner needs it. */
export interface PlannedTest {
  test: Test;
  secrets: readonly SecretValue[];
}

type OnChanged = (tenant: TenantId | undefined) => void;

/** All tests of tenants, read once until they change: a list of ten thousand is sorted and filtered here, not in the database. */
export function createTestCache(relational: Pick<Relational, 'withSystemSql'>) {
  const kept = new Map<TenantId, { reading: Promise<TenantTests>; size: number }>();

  const drop = (tenant: TenantId | undefined): void => {
    if (tenant === undefined) kept.clear();
    else kept.delete(tenant);
  };

  const makeRoom = (): void => {
    let total = 0;
    for (const { size } of kept.values()) total += size;
    for (const [tenant, { size }] of kept) {
      if (total <= MAX_KEPT_CHARS || kept.size === 1) return;
      kept.delete(tenant);
      total -= size;
    }
  };

  return {
    drop,
    /** One, without reading the others. */
    async find(tenant: TenantId, id: string): Promise<Test | undefined> {
      const known = kept.get(tenant);
      if (known) return (await known.reading).byId.get(id);
      return (await asSystem(relational).withTenantSql(tenant, (sql) => findTests(sql, [id])))[0];
    },
    async read(tenant: TenantId): Promise<TenantTests> {
      const known = kept.get(tenant);
      if (known) {
        // The tenant that was asked for last goes last.
        kept.delete(tenant);
        kept.set(tenant, known);
        return await known.reading;
      }
      const entry = {
        size: 0,
        reading: asSystem(relational)
          .withTenantSql(tenant, readTests)
          .then((list) => ({ list, byId: new Map(list.map((test) => [test.id, test])) })),
      };
      kept.set(tenant, entry);
      try {
        const tests = await entry.reading;
        entry.size = tests.list.reduce((sum, test) => sum + JSON.stringify(test).length, 0);
        makeRoom();
        return tests;
      } catch (error) {
        if (kept.get(tenant) === entry) kept.delete(tenant);
        throw error;
      }
    },
  };
}
export type TestCache = ReturnType<typeof createTestCache>;

/** What changes tell: this process at once, the others by the database. */
export function createChanges(relational: Pick<Relational, 'listen'>, caches: readonly { drop: OnChanged }[]) {
  const listeners = new Set<OnChanged>();
  let stop = async (): Promise<void> => {};
  const tell = (tenant: TenantId | undefined): void => {
    for (const cache of caches) cache.drop(tenant);
    for (const listener of listeners) listener(tenant);
  };
  return {
    async start(): Promise<void> {
      // An empty payload: something may have been missed.
      stop = await relational.listen(TESTS_CHANNEL, (payload) => tell(isTenantId(payload) ? payload : undefined));
    },
    close: async (): Promise<void> => await stop(),
    /** Told of a tenant whose plan may be another one; undefined: of every tenant. Gives what ends it. */
    onChanged(listener: OnChanged): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Which tests the rates leave no room for, found once for each list of tests and number of runners. */
export function createHeldBack(bounds: RateBounds) {
  const found = new WeakMap<readonly Test[], { runners: number; held: ReadonlySet<string> }>();
  const last = new Map<TenantId, ReadonlySet<string>>();
  const none: ReadonlySet<string> = new Set();
  return {
    find(tenant: TenantId, tests: readonly Test[], runners: number): ReadonlySet<string> {
      const known = found.get(tests);
      if (known?.runners === runners) return known.held;
      const held = findHeldBack(tests, { runners, bounds });
      found.set(tests, { runners, held });
      if (held.size > 0) last.set(tenant, held);
      else last.delete(tenant);
      return held;
    },
    /** What was found last; none before anything was. */
    known: (tenant: TenantId): ReadonlySet<string> => last.get(tenant) ?? none,
  };
}
export type HeldBack = ReturnType<typeof createHeldBack>;

interface PlanDeps {
  relational: Pick<Relational, 'withSystemSql'>;
  sealer: Sealer;
  cache: TestCache;
  heldBack: HeldBack;
  listRunners: (tenant: TenantId) => Promise<readonly unknown[]>;
}

/**
 * Every enabled test of a tenant that the rates leave room for, with the values of the secrets that it names; a secret that is not there is
 * left out.
 */
export async function readPlan(
  { relational, sealer, cache, heldBack, listRunners }: PlanDeps,
  tenant: TenantId,
): Promise<PlannedTest[]> {
  const [{ list }, runners] = await Promise.all([cache.read(tenant), listRunners(tenant)]);
  const held = heldBack.find(tenant, list, runners.length);
  const tests = list.filter(({ enabled, id }) => enabled && !held.has(id));
  const names = new Map(tests.map((test) => [test.id, secretsOfTest(test)]));
  const wanted = [...new Set([...names.values()].flat())];
  const values =
    wanted.length === 0
      ? new Map<string, SecretValue>()
      : await relational.withSystemSql(tenant, (sql) => openSecrets({ sql, sealer, tenant }, wanted));
  return tests.map((test) => ({
    test,
    secrets: (names.get(test.id) ?? []).flatMap((name) => values.get(name) ?? []),
  }));
}

/** The values of the secrets that a test names which may not be saved at all. */
export async function readSecretsOf(
  { relational, sealer }: { relational: Pick<Relational, 'withSystemSql'>; sealer: Sealer },
  tenant: TenantId,
  test: Pick<Test, 'params'>,
): Promise<SecretValue[]> {
  const names = secretsOfTest(test);
  if (names.length === 0) return [];
  return [...(await relational.withSystemSql(tenant, (sql) => openSecrets({ sql, sealer, tenant }, names))).values()];
}
