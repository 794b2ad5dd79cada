import type { RunReport } from '@svc/contracts/tests/run-report';
import { expect, it } from 'vitest';
import { admitReport } from './admit-report.ts';

const NOW = Date.parse('2026-11-25T12:00:00.000Z');
const ID = '0190abcd-0000-7000-8000-000000000001';
const report: RunReport = {
  ...{ result_id: ID, test_id: ID, test_version: 1, runner_id: 'x', type: 'https', target: 'https://shop.example/' },
  ...{ planned_at: '2026-11-25T11:59:00.000Z', started_at: '2026-11-25T11:59:00.000Z', on_demand: false },
  ...{ success: true, phases: {}, total_ms: 1, figures: { status: 200 }, assertions: [] },
};
const admit = (more: object) =>
  admitReport({ ...report, ...more }, { runnerId: 'mine', mayReport: (id) => id === ID, receivedMs: NOW });

it('takes a report under the name of the runner that sent it', () => {
  expect(admit({})).toMatchObject({ runner_id: 'mine', figures: { status: 200 } });
});

it('takes ids in capitals as what they are', () => {
  expect(admit({ result_id: ID.toUpperCase(), test_id: ID.toUpperCase() })).toMatchObject({ result_id: ID, test_id: ID });
});

it('refuses a test that is not this runner’s', () => {
  const refused = { refused: 'its test is not in the plan of this runner' };
  expect(admit({ test_id: '0190a000-0000-7000-8000-000000000002' })).toEqual(refused);
});

it.each([
  ['a figure with a long name', { figures: { ['x'.repeat(129)]: 1 } }],
  ['a figure without a name', { figures: { '': 1 } }],
  ['a port that is none', { type: 'tcp', target: 'shop.example', port: -1 }],
])('refuses, rather than acknowledge what is set aside later, %s', (_, more) => {
  expect(admit(more)).toEqual({ refused: 'it does not fit into a result' });
});
