import { expect, it } from 'vitest';
import { listOwnTargets } from './first-run-page.tsx';

const offered = { id: 'a', label: 'A', operator: 'A', kind: 'trace' as const, target: '1.1.1.1', why: '' };
const firstRun = {
  ...{ chosen: true, policy_version: 2, devices: 0, devices_reporting: 0, pick_list: [offered] },
  trace_targets: ['1.1.1.1', 'router.example'],
  session_targets: ['https://crm.example/'],
};

it('lists back what was entered earlier, and not what is offered anyway', () => {
  expect(listOwnTargets(firstRun).map(({ kind, target }) => `${kind} ${target}`)).toEqual([
    'trace router.example',
    'session https://crm.example/',
  ]);
});
