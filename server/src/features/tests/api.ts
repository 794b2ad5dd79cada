import { CreateTestInput, RemoveTestsInput, SetEnabledInput, UpdateTestInput } from '@svc/contracts/tests/calls';
import { Test } from '@svc/contracts/tests/test';
import { TestRow } from '@svc/contracts/tests/views';
import { AppliedTests, ApplyTests, WrittenTest } from '@svc/contracts/tests/written-test';
import { z } from 'zod';
import { listLimit, listLimitQuery, permitted } from '#api';
import { AppError } from '#kernel';
import { applyTests } from './apply.ts';
import { createTest, demandTest, removeTests, setEnabled, updateTest } from './change.ts';
import type { TestsContext } from './context.ts';
import { listSpecs } from './specs.ts';

const tags = ['tests'];
const OfTest = z.object({ id: z.uuid() });

const SpecsQuery = z.object({ limit: listLimit, cursor: z.uuid().optional() });
const SpecsByUrl = SpecsQuery.extend({ limit: listLimitQuery });

/** What a person or a program does to tests; `tests.*` and /v1/tests. */
export const createTestProcedures = (context: TestsContext) => ({
  create: permitted('test.write')
    .input(CreateTestInput)
    .output(TestRow)
    .mutation(async ({ ctx, input }) => await context.readRow(ctx, await createTest(context, ctx, input.test))),

  update: permitted('test.write')
    .input(UpdateTestInput)
    .output(TestRow)
    .mutation(async ({ ctx, input }) => await context.readRow(ctx, await updateTest(context, ctx, input))),

  setEnabled: permitted('test.write', {
    rest: { method: 'POST', path: '/tests/enabled', tags, summary: 'Pause or resume tests' },
  })
    .input(SetEnabledInput)
    .output(z.object({ changed: z.int() }))
    .mutation(({ ctx, input }) => setEnabled(context, ctx, input)),

  specs: permitted('test.read', {
    rest: { method: 'GET', path: '/test-specs', tags, summary: 'All tests as they are written', query: SpecsByUrl },
  })
    .input(SpecsQuery)
    .output(z.object({ items: z.array(WrittenTest), next_cursor: z.string().nullable() }))
    .query(({ ctx, input }) => listSpecs(context, ctx, input)),

  applyAll: permitted('test.write', {
    rest: {
      ...{ method: 'POST', path: '/tests/apply', tags, summary: 'Make the tests of some names what is written' },
      errors: ['conflict'],
    },
  })
    .input(ApplyTests)
    .output(AppliedTests)
    .mutation(({ ctx, input }) => applyTests(context, ctx, input)),
});

/** The same for programs, whose tests are their fields side by side; /v1/tests. */
export const createRestProcedures = (context: TestsContext) => ({
  createByUrl: permitted('test.write', {
    rest: { method: 'POST', path: '/tests', status: 201, tags, summary: 'Make a test', errors: ['conflict'] },
  })
    .input(WrittenTest)
    .output(Test)
    .mutation(({ ctx, input }) => createTest(context, ctx, demandTest(input))),

  updateByUrl: permitted('test.write', {
    rest: { method: 'PUT', path: '/tests/:id', tags, summary: 'Replace a test', errors: ['not_found', 'conflict'] },
  })
    .input(WrittenTest.extend({ id: z.uuid(), version: z.int().optional() }))
    .output(Test)
    .mutation(({ ctx, input: { id, version, ...written } }) =>
      updateTest(context, ctx, { id, version, test: demandTest(written) }),
    ),

  remove: permitted('test.write')
    .input(RemoveTestsInput)
    .output(z.object({ changed: z.int() }))
    .mutation(({ ctx, input }) => removeTests(context, ctx, input)),

  removeByUrl: permitted('test.write', {
    rest: { method: 'DELETE', path: '/tests/:id', status: 204, tags, summary: 'Delete a test', errors: ['not_found'] },
  })
    .input(OfTest)
    .output(z.void())
    .mutation(async ({ ctx, input }) => {
      if ((await removeTests(context, ctx, { ids: [input.id] })).changed === 0)
        throw new AppError('not_found', 'There is no such test.');
    }),
});
