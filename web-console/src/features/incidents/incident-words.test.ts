import type { Incident, IncidentEntry } from '@svc/contracts/incidents/incident';
import type { Signal } from '@svc/contracts/incidents/signal';
import { expect, it } from 'vitest';
import {
  byWhom,
  describeAffected,
  describeEntry,
  describeOpen,
  describeRecovery,
  signalWords,
  ticketText,
} from './incident-words.ts';
import { incidentOf, signalOf } from './test-incidents.ts';

const entryOf = (more: Partial<IncidentEntry>): IncidentEntry => ({
  ...{ id: 'e', at: '2026-11-24T14:05:00.000Z', kind: 'opened', actor: null, signal_id: null, detail: '' },
  ...more,
});

it('says how many are open and what the worst is', () => {
  const shop = incidentOf({ title: 'The shop fails from Berlin.' });
  expect(describeOpen(0, [])).toBe('No incident is open.');
  expect(describeOpen(1, [shop])).toBe('One incident is open: The shop fails from Berlin.');
  expect(describeOpen(2, [shop, incidentOf({ status: 'acknowledged' })])).toBe(
    '2 incidents are open: The shop fails from Berlin, and 1 more incident.',
  );
  expect(describeOpen(1, [incidentOf({ status: 'acknowledged', title: 'A' })])).toBe(
    'One incident is open, and acknowledged: A.',
  );
  expect(describeOpen(6, [shop])).toBe('6 incidents are open: The shop fails from Berlin, and 5 more incidents.');
  const over = Array.from({ length: 3 }, () => incidentOf({ status: 'resolved' }));
  expect(describeOpen(2, over)).toBe('2 incidents are open.');
});

it('puts each entry into words', () => {
  const signal: Signal = signalOf({ title: 'Shop home fails from Berlin' });
  const words = (more: Partial<IncidentEntry>) => describeEntry(entryOf(more), signal);
  expect(words({})).toBe('opened this: Shop home fails from Berlin');
  expect(words({ kind: 'signal_joined', detail: 'the same target' })).toBe(
    'Shop home fails from Berlin. Joined by the same target',
  );
  expect(words({ kind: 'assigned', detail: '' })).toBe('gave it to nobody');
  expect(words({ kind: 'severity_set', detail: 'critical' })).toBe('set the severity to critical');
  expect(words({ kind: 'resolved', detail: 'all signals have recovered for 15 min' })).toBe(
    'resolved: all signals have recovered for 15 min',
  );
});

it('says where somebody acted who is no person of this server', () => {
  const there = { id: 'connector/1', name: 'ServiceNow (Service desk)' };
  const words = (more: Partial<IncidentEntry>) => describeEntry(entryOf({ actor: there, ...more }), undefined);
  expect(byWhom(there)).toBe('in ServiceNow (Service desk)');
  expect(byWhom({ id: 'provider/pager_a', name: 'PagerDuty' })).toBe('in PagerDuty');
  expect(byWhom({ id: 'ann', name: 'Ann' })).toBe('by Ann');
  expect(byWhom({ id: 'system', name: 'system' })).toBe('by the system');
  expect(words({ kind: 'resolved', detail: 'by Ada' })).toBe('passed on that it was resolved there by Ada');
  expect(words({ kind: 'acknowledged' })).toBe('passed on that it was acknowledged there');
});

it('says what happens by itself', () => {
  const open = incidentOf({ open_signal_count: 2 });
  expect(describeRecovery({ incident: open, minutes: 15 })).toContain('15\u00a0min after the last of 2 failing signals');
  expect(describeRecovery({ incident: incidentOf({ open_signal_count: 1 }), minutes: 15 })).toBe(
    'It resolves automatically 15\u00a0min after its failing signal has recovered.',
  );
  expect(describeRecovery({ incident: incidentOf({ open_signal_count: 0 }), minutes: 15 })).toMatch(/^Everything has recovered/);
  expect(describeRecovery({ incident: open, minutes: 0 })).toMatch(/switched automatic resolving off/);
  expect(describeRecovery({ incident: incidentOf({ status: 'resolved' }), minutes: 15 })).toBe('');
});

it('makes a text for a ticket with times in UTC', () => {
  const incident: Incident = incidentOf({ number: 94, target: 'shop.example', severity: 'critical' });
  const text = ticketText({
    incident,
    sentence: 'The shop is slow.',
    signals: [signalOf({})],
    url: 'https://svc.example/incidents/x',
  });
  expect(text).toMatch(/^Incident 94: /);
  expect(text).toContain('Severity: Critical. State: Open.');
  expect(text).toContain('Target: shop.example');
  expect(text).toMatch(/- 2026-11-24 14:05:24 UTC Tests: /);
  expect(text.endsWith('https://svc.example/incidents/x')).toBe(true);
});

it('counts signals, planes and what is hurt', () => {
  expect(signalWords({ signal_count: 1, planes: ['tests'] })).toBe('1 signal from tests');
  expect(signalWords({ signal_count: 5, planes: ['tests', 'endpoint', 'rum'] })).toBe('5 signals from 3 planes');
  expect(describeAffected([{ kind: 'test' }, { kind: 'test' }, { kind: 'device' }])).toBe('2 tests and 1 device');
  expect(describeAffected([])).toBe('');
});
