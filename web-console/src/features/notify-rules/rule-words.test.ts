import type { Severity } from '@svc/contracts/incidents/kinds';
import { expect, it } from 'vitest';
import { daysWords, delayWords, quietWords, whenWords, whichWords } from './rule-words.ts';
import { ruleOf } from './test-rules.ts';

it('says which incidents a rule is about', () => {
  expect(whichWords(ruleOf('r'))).toBe('Warning and critical');
  const words = (severity: Severity, most: Severity) => whichWords(ruleOf('r', { severity, severity_most: most }));
  expect([words('info', 'critical'), words('info', 'warning'), words('info', 'info'), words('warning', 'warning')]).toEqual([
    ...['Every severity', 'Info and warning', 'Info only', 'Warning only'],
  ]);
  const narrow = ruleOf('r', {
    severity: 'critical',
    planes: ['tests', 'rum'],
    targets: ['a', 'b', 'c', 'd'],
    sites: ['Berlin'],
  });
  expect(whichWords(narrow)).toBe('Critical only; Tests and Real users; target a, b and 2 more; site Berlin');
});

it('says when, in the zone of the rule', () => {
  expect(whenWords(ruleOf('r'))).toBe('Always');
  const span = { time_zone: 'Europe/Berlin', from: '08:00', to: '18:00' };
  expect(whenWords(ruleOf('r', { schedule: { ...span, days: [1, 2, 3, 4, 5] } }))).toBe(
    'Mon to Fri, 08:00 to 18:00, Europe/Berlin',
  );
  expect(daysWords([0, 6])).toBe('Sat and Sun');
  expect(daysWords([0, 1, 3])).toBe('Mon, Wed and Sun');
  expect(daysWords([0, 1, 2, 3, 4, 5, 6])).toBe('Every day');
  expect(quietWords(ruleOf('r'))).toBe('None');
  expect(quietWords(ruleOf('r', { quiet: { ...span, to: '08:00' } }))).toBe('all day, Europe/Berlin');
});

it('says a delay in its largest unit', () => {
  expect([0, 90, 300, 7200].map(delayWords)).toEqual(['At once', 'After 90\u00a0s', 'After 5\u00a0min', 'After 2\u00a0h']);
});
