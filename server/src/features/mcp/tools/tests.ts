import { TEST_TYPES } from '@svc/contracts/tests/test-types';
import { TEST_STATES } from '@svc/contracts/tests/views';
import { z } from 'zod';
import { without } from '../domain/shape-answers.ts';
import { id, paged, type Tool, window } from './tool.ts';

export const testTools: readonly Tool[] = [
  {
    name: 'list_tests',
    title: 'Synthetic tests',
    description:
      'Lists synthetic tests with their state now, worst first: failing since when and from where, availability and p95 of 24 hours, days until the certificate ends.',
    procedure: 'tests.list',
    input: z.strictObject({
      search: z.string().max(200).optional().describe('Part of the name or the target'),
      state: z.array(z.enum(TEST_STATES)).max(5).optional(),
      type: z.array(z.enum(TEST_TYPES)).max(7).optional(),
      label: z.array(z.string().max(192)).max(10).optional().describe('`key` or `key=value`, all must hold'),
      ...paged,
    }),
    shape: without('strip', 'offset'),
  },
  {
    name: 'get_test',
    title: 'One synthetic test',
    description: 'One synthetic test: what it checks, its state on each runner, why it does not run where it does not.',
    procedure: 'tests.get',
    input: z.strictObject({ id: id('a test') }),
    shape: without('strip'),
  },
  {
    name: 'list_test_runs',
    title: 'Runs of a test',
    description: 'Runs of one synthetic test, the latest first: whether each passed, its fault, and how long each phase took.',
    procedure: 'tests.runs',
    input: z.strictObject({
      id: id('a test'),
      success: z.boolean().optional().describe('false: only those that failed'),
      runner: z.string().max(64).optional().describe('`runner_id` of the runs of one runner'),
      ...window,
      ...paged,
    }),
  },
  {
    name: 'get_test_run',
    title: 'One run with its evidence',
    description: 'One run of a synthetic test with its evidence: answers, headers, resolved addresses, certificate, steps.',
    procedure: 'tests.run',
    input: z.strictObject({ id: id('a test'), result_id: z.uuid().describe('The `result_id` of a run of that test') }),
  },
];
