import { TestList, TestListQuery, TestView } from '@svc/contracts/tests/views';
import { z } from 'zod';
import { permitted } from '#api';
import type { TestPagesDeps } from './context.ts';
import { listTests } from './list.ts';
import { readTestView } from './page.ts';
import { ListByUrl } from './queries-by-url.ts';

const tags = ['tests'];

export const createPageProcedures = (deps: TestPagesDeps) => ({
  list: permitted('test.read', {
    rest: { method: 'GET', path: '/tests', tags, summary: 'Synthetic tests with their state', query: ListByUrl },
  })
    .input(TestListQuery)
    .output(TestList)
    .query(({ ctx, input }) => listTests(deps, ctx, input)),

  get: permitted('test.read', {
    rest: { method: 'GET', path: '/tests/:id', tags, summary: 'One test with its state', errors: ['not_found'] },
  })
    .input(z.object({ id: z.uuid() }))
    .output(TestView)
    .query(({ ctx, input }) => readTestView(deps, ctx, input)),
});
