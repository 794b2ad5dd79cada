import { expect, it } from 'vitest';
import { bodyOf, faultsFrom, faultsOf, formOf, newRule, type RuleForm } from './rule-form.ts';
import { ruleOf } from './test-rules.ts';

const ZONE = 'Europe/Lisbon';
const known = new Set(['pager']);
const form = (more: Partial<RuleForm>): RuleForm => ({ ...newRule(ZONE), ...more });

it('gives back the rule that it was made from', () => {
  const rule = ruleOf('nights', {
    ...{ severity_most: 'warning', planes: ['tests'], targets: ['shop.*', '*.example'], sites: ['Berlin'] },
    ...{ delay_seconds: 90, connectors: ['pager'] },
    schedule: { time_zone: 'Asia/Kolkata', days: [0, 6], from: '22:00', to: '06:00' },
    quiet: { time_zone: 'Europe/Berlin', from: '23:00', to: '05:00' },
  });
  expect(rule).toMatchObject(bodyOf(formOf(rule, ZONE)));
  expect(faultsOf(formOf(rule, ZONE), known)).toEqual({});
});

it('shows a delay in the largest unit without a rest', () => {
  const shown = [0, 45, 300, 7200].map((seconds) => formOf(ruleOf('r', { delay_seconds: seconds }), ZONE));
  expect(shown.map(({ delay, unit }) => `${delay} ${unit}`)).toEqual(['0 min', '45 s', '5 min', '2 h']);
  expect(bodyOf(form({ delay: '1.5', unit: 'min' })).delay_seconds).toBe(90);
});

it('leaves out what is switched off, and asks for what is on', () => {
  expect(bodyOf(form({ from: '', zone: 'nowhere', quietTo: '' }))).toMatchObject({ schedule: null, quiet: null });
  expect(faultsOf(form({ from: '', zone: 'nowhere', quietTo: '' }), known)).toEqual({});
  const on = form({ isScheduled: true, from: '', zone: 'nowhere', days: [], isQuiet: true, quietTo: '', quietZone: '' });
  expect(Object.keys(faultsOf(on, known)).toSorted()).toEqual(['days', 'from', 'quietTo', 'quietZone', 'zone']);
});

it('takes a time of day on the clock that the console shows, however it is typed, and no other', () => {
  const typed = form({ isScheduled: true, from: '8', to: '1730', isQuiet: true, quietFrom: '22.30', quietTo: '6:00' });
  expect(faultsOf(typed, known)).toEqual({});
  expect(bodyOf(typed)).toMatchObject({ schedule: { from: '08:00', to: '17:30' }, quiet: { from: '22:30', to: '06:00' } });
  expect(Object.keys(faultsOf(form({ isScheduled: true, from: '8 pm', to: '24:00' }), known))).toEqual(['from', 'to']);
});

it('never turns a rule for one connector that was deleted into one for all', () => {
  const orphan = formOf(ruleOf('r', { connectors: ['deleted'] }), ZONE);
  expect(orphan.isForAll).toBe(false);
  expect(faultsOf(orphan, known)).toEqual({ connectors: 'Take out the connector that was deleted' });
  expect(faultsOf({ ...orphan, connectors: [] }, known)).toEqual({ connectors: 'Choose a connector' });
});

it.each(['', '-1', 'x', '1441', '1e9'])('refuses a delay of %j minutes', (delay) => {
  expect(faultsOf(form({ delay }), known)).toEqual({ delay: '0 to 24 h' });
});

it('refuses more targets and longer ones than the server takes', () => {
  const many = Array.from({ length: 51 }, (_, at) => `t${at}`).join(',');
  expect(faultsOf(form({ targets: many, sites: 'x'.repeat(254) }), known)).toEqual({
    targets: '50 at most, separated by commas',
    sites: 'Each has 253 characters at most',
  });
});

it('finds the field of what the server refuses', () => {
  expect(
    faultsFrom([
      { path: 'quiet.time_zone', message: 'no zone' },
      { path: 'connectors.0', message: 'gone' },
    ]),
  ).toEqual({
    quietZone: 'no zone',
    connectors: 'gone',
  });
});
