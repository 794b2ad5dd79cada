import type { Test, TestSpec } from '@svc/contracts/tests/test';
import { readTest } from '@svc/contracts/tests/written-test';
import { AppError, type Ctx } from '#kernel';
import type { TestsContext } from './context.ts';
import { diffTests } from './domain/diff-tests.ts';
import { findPatternFaults } from './domain/pattern-faults.ts';
import { actionOf, changedTest, changing, demandRoom, newTest, noteTest } from './mutate.ts';
import { deleteTests, findTest, findTests, insertTests, specOf, updateTests } from './store.ts';

/** The test as it is written, or `validation` with every fault. */
export function demandTest(written: unknown): TestSpec {
  const read = readTest(written);
  if (!('faults' in read)) return read;
  const { faults } = read;
  throw new AppError('validation', `The test is not valid: ${faults[0]?.message ?? ''}`, { faults });
}

/** `validation` for expressions and JSON paths that no runner could read. */
export function demandPatterns({ patterns }: Pick<TestsContext, 'patterns'>, spec: TestSpec): void {
  const faults = findPatternFaults(spec, patterns);
  if (faults.length > 0) throw new AppError('validation', `The test is not valid: ${faults[0]?.message ?? ''}`, { faults });
}

export async function createTest(context: TestsContext, ctx: Ctx, spec: TestSpec): Promise<Test> {
  demandPatterns(context, spec);
  const test = newTest(context, ctx, spec);
  return await changing(context, ctx, async (change) => {
    const { sql } = change;
    await insertTests(sql, [test]);
    await demandRoom(context, change, [test]);
    await noteTest(context, sql, { ctx, action: 'test.create', test });
    return test;
  });
}

/** In whole. `version`: `conflict` where somebody else changed it since. The same again changes nothing. */
export async function updateTest(
  context: TestsContext,
  ctx: Ctx,
  { id, version, test: spec }: { id: string; version: number | undefined; test: TestSpec },
): Promise<Test> {
  demandPatterns(context, spec);
  return await changing(context, ctx, async (change) => {
    const { sql } = change;
    const before = await findTest(sql, id);
    if (version !== undefined && version !== before.version)
      throw new AppError('conflict', 'The test was changed meanwhile. Load it again.');
    const changed = diffTests(specOf(before), spec);
    if (changed.length === 0) return before;
    const test = changedTest(context, before, spec);
    await updateTests(sql, [test]);
    await demandRoom(context, change, [test]);
    await noteTest(context, sql, { ctx, action: actionOf(before, changed, spec), test, changed });
    return test;
  });
}

/** Pauses or resumes; those that are so already, and ids of nobody, are left out. Gives how many changed. */
export async function setEnabled(
  context: TestsContext,
  ctx: Ctx,
  { ids, enabled }: { ids: readonly string[]; enabled: boolean },
): Promise<{ changed: number }> {
  return await changing(context, ctx, async (change) => {
    const { sql } = change;
    const tests = (await findTests(sql, ids)).filter((test) => test.enabled !== enabled);
    const changed = tests.map((test) => changedTest(context, test, { ...specOf(test), enabled }));
    if (changed.length === 0) return { changed: 0 };
    await updateTests(sql, changed);
    if (enabled) await demandRoom(context, change, changed);
    for (const test of changed) await noteTest(context, sql, { ctx, action: enabled ? 'test.resume' : 'test.pause', test });
    return { changed: changed.length };
  });
}

/** Removes several at once; ids of nobody are left out. */
export async function removeTests(
  context: TestsContext,
  ctx: Ctx,
  { ids }: { ids: readonly string[] },
): Promise<{ changed: number }> {
  return await changing(context, ctx, async (change) => {
    const { sql } = change;
    const tests = await findTests(sql, ids);
    await deleteTests(
      sql,
      tests.map(({ id }) => id),
    );
    for (const test of tests) await noteTest(context, sql, { ctx, action: 'test.delete', test });
    return { changed: tests.length };
  });
}
