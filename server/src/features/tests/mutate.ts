import type { Test, TestSpec } from '@svc/contracts/tests/test';
import { uuidv7 } from 'uuidv7';
import { AppError, actorOf, type Ctx } from '#kernel';
import type { TenantSql } from '#relational';
import type { TestsContext } from './context.ts';
import type { ChangedField } from './domain/diff-tests.ts';
import { findRateFault, hostOf } from './domain/run-rates.ts';
import { fillLoads, sumLoads } from './loads.ts';
import { lockTests, tellReplicas } from './store.ts';

/** What every change of tests is made of: its turn, its bounds and its entry in the trail, told to all replicas, in one transaction. */

export const noteTest = async (
  context: TestsContext,
  sql: TenantSql,
  entry: { ctx: Ctx; action: string; test: Test; changed?: readonly ChangedField[] },
): Promise<void> => {
  const { ctx, action, test, changed } = entry;
  // Paths only: values may be names and addresses, and the trail outlives them.
  const fields = changed && {
    changed: changed
      .map(({ path }) => path)
      .join(', ')
      .slice(0, 1000),
  };
  await context.appendAudit(sql, {
    actor: actorOf(ctx.principal),
    action,
    object: { type: 'test', id: test.id },
    detail: { version: test.version, ...fields },
  });
};

export interface Changing {
  sql: TenantSql;
  /** How many the tenant has: asked before, since that may take a connection of its own. */
  runners: number;
}

/** Runs a change of a tenant's tests alone; what others in this process know is read again. */
export async function changing<Answer>(
  context: TestsContext,
  ctx: Ctx,
  work: (changing: Changing) => Promise<Answer>,
): Promise<Answer> {
  const { tenant } = ctx.principal;
  const runners = (await context.listRunners(tenant)).length;
  try {
    return await context.relational.withTenantSql(tenant, async (sql) => {
      await lockTests(sql);
      const answer = await work({ sql, runners });
      await tellReplicas(sql);
      return answer;
    });
  } finally {
    context.cache.drop(tenant);
  }
}

/** `conflict` where the tests of the tenant, these among them, are too many or run too often. */
export async function demandRoom(
  { bounds }: TestsContext,
  { sql, runners }: Changing,
  added: readonly TestSpec[],
): Promise<void> {
  await fillLoads(sql);
  const { tests, bytes, ...rates } = await sumLoads(sql, { runners, hosts: added.map(hostOf) });
  if (tests > bounds.maxTests)
    throw new AppError('conflict', `A tenant has at most ${bounds.maxTests} tests. Delete some first.`);
  if (bytes > bounds.maxBytes)
    throw new AppError(
      'conflict',
      `The tests of a tenant have at most ${Math.floor(bounds.maxBytes / 2 ** 20)} MiB in all. Shorten bodies and certificates first.`,
    );
  const fault = findRateFault(rates, bounds);
  if (fault) throw new AppError('conflict', fault);
}

export const newTest = ({ clock }: TestsContext, ctx: Ctx, spec: TestSpec): Test => {
  const at = new Date(clock.now()).toISOString();
  return { ...spec, id: uuidv7(), version: 1, created_by: ctx.principal.id, created_at: at, updated_at: at };
};

export const changedTest = ({ clock }: TestsContext, before: Test, spec: TestSpec): Test => ({
  ...spec,
  ...{ id: before.id, version: before.version + 1, created_by: before.created_by, created_at: before.created_at },
  updated_at: new Date(clock.now()).toISOString(),
});

export const actionOf = (before: Test, changed: readonly ChangedField[], after: TestSpec): string => {
  if (changed.length > 1 || before.enabled === after.enabled) return 'test.update';
  return after.enabled ? 'test.resume' : 'test.pause';
};
