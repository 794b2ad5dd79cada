import type { Test, TestSpec } from '@svc/contracts/tests/test';
import { type AppliedTests, type ApplyTests, readTest, type WrittenTest } from '@svc/contracts/tests/written-test';
import { AppError, type Ctx, type Fault } from '#kernel';
import type { TenantSql } from '#relational';
import type { TestsContext } from './context.ts';
import { type ChangedField, diffTests } from './domain/diff-tests.ts';
import { findPatternFaults } from './domain/pattern-faults.ts';
import { secretsOfTest } from './domain/secret-references.ts';
import { actionOf, changedTest, changing, demandRoom, newTest, noteTest } from './mutate.ts';
import { listSecrets } from './secret-store.ts';
import { deleteTests, findTestsNamed, insertTests, specOf, updateTests } from './store.ts';

type Item = AppliedTests['items'][number];

function readAll({ patterns }: TestsContext, written: readonly WrittenTest[]): TestSpec[] {
  const faults: Fault[] = [];
  const specs = written.flatMap((one, index) => {
    const read = readTest(one);
    const found = 'faults' in read ? read.faults : findPatternFaults(read, patterns);
    if (!('faults' in read) && found.length === 0) return [read];
    faults.push(...found.map(({ path, message }) => ({ path: `tests.${index}.${path}`, message })));
    return [];
  });
  const seen = new Set<string>();
  for (const [index, { name }] of specs.entries()) {
    if (seen.has(name.toLowerCase())) faults.push({ path: `tests.${index}.name`, message: `“${name}” is there twice.` });
    seen.add(name.toLowerCase());
  }
  if (faults.length > 0) throw new AppError('validation', `Some tests are not valid: ${faults[0]?.message ?? ''}`, { faults });
  return specs;
}

/** What the tenant has of what is to be applied. */
interface Known {
  tests: ReadonlyMap<string, Test>;
  secrets: ReadonlySet<string>;
}

const readKnown = async (sql: TenantSql, names: readonly string[]): Promise<Known> => ({
  tests: await findTestsNamed(sql, names),
  secrets: new Set((await listSecrets(sql)).map(({ name }) => name)),
});

interface Planned {
  created: Test[];
  updated: { before: Test; test: Test; changed: ChangedField[] }[];
  removed: Test[];
  items: Item[];
}

function planApply(
  context: TestsContext,
  ctx: Ctx,
  { specs, remove, known }: { specs: readonly TestSpec[]; remove: readonly string[]; known: Known },
): Planned {
  const plan: Planned = { created: [], updated: [], removed: [], items: [] };
  for (const spec of specs) {
    const before = known.tests.get(spec.name.toLowerCase());
    const missing_secrets = secretsOfTest(spec).filter((name) => !known.secrets.has(name));
    if (!before) {
      const test = newTest(context, ctx, spec);
      plan.created.push(test);
      plan.items.push({ name: spec.name, id: test.id, change: 'create', fields: [], missing_secrets });
      continue;
    }
    const fields = diffTests(specOf(before), spec);
    if (fields.length > 0) plan.updated.push({ before, test: changedTest(context, before, spec), changed: fields });
    const change = fields.length > 0 ? 'update' : 'none';
    plan.items.push({ name: spec.name, id: before.id, change, fields, missing_secrets });
  }
  for (const name of remove) {
    const before = known.tests.get(name.toLowerCase());
    if (before) plan.removed.push(before);
    plan.items.push({ name, id: before?.id ?? null, change: before ? 'remove' : 'none', fields: [], missing_secrets: [] });
  }
  return plan;
}

/** Makes the tenant's tests of these names what is written; all of it or, where anything is at fault, none. */
export async function applyTests(context: TestsContext, ctx: Ctx, { tests, remove, dry_run }: ApplyTests): Promise<AppliedTests> {
  const specs = readAll(context, tests);
  const names = [...specs.map(({ name }) => name), ...remove];
  if (dry_run) {
    const known = await context.relational.withTenantSql(ctx.principal.tenant, (sql) => readKnown(sql, names));
    const { items } = planApply(context, ctx, { specs, remove, known });
    // Nothing has this id yet.
    return { items: items.map((item) => (item.change === 'create' ? { ...item, id: null } : item)) };
  }
  return await changing(context, ctx, async (change) => {
    const { sql } = change;
    const { created, updated, removed, items } = planApply(context, ctx, {
      specs,
      remove,
      known: await readKnown(sql, names),
    });
    await deleteTests(
      sql,
      removed.map(({ id }) => id),
    );
    await insertTests(sql, created);
    await updateTests(
      sql,
      updated.map(({ test }) => test),
    );
    const added = [...created, ...updated.map(({ test }) => test)];
    if (added.length > 0) await demandRoom(context, change, added);
    for (const test of removed) await noteTest(context, sql, { ctx, action: 'test.delete', test });
    for (const test of created) await noteTest(context, sql, { ctx, action: 'test.create', test });
    for (const { before, test, changed } of updated)
      await noteTest(context, sql, { ctx, action: actionOf(before, changed, test), test, changed });
    return { items };
  });
}
