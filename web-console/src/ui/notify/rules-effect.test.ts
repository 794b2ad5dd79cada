import { expect, it } from 'vitest';
import { describeLeftOut, describeRules, leftOutBy } from './rules-effect.ts';

const pager = { id: 'p', name: 'Pager' };
const chat = { id: 'c', name: 'Chat' };
const both = [pager, chat];
const on = (...connectors: string[]) => ({ enabled: true, connectors });
const off = { enabled: false, connectors: ['p'] };

it('says plainly that everybody is told as long as no rule is on', () => {
  expect(describeRules([])).toBe('No rule: every connector is told of every incident, at once.');
  expect(describeRules([off])).toBe('The one rule is off: every connector is told of every incident, at once.');
  expect(describeRules([off, off], both)).toBe('Both rules are off: every connector is told of every incident, at once.');
  expect(describeRules([off, off, off])).toMatch(/^All 3 rules are off: /);
  expect(describeRules([on('p')])).toBe('1 rule decides who is told.');
  expect(describeRules([on('p'), on(), off])).toBe('2 of 3 rules decide who is told.');
});

it('says that nobody is told where there is no connector, whatever the rules say', () => {
  for (const rules of [[], [off], [on()]])
    expect(describeRules(rules, [])).toBe('Nobody is told of incidents: there is no connector yet.');
});

it('names the connectors that no rule in force names', () => {
  expect(leftOutBy([], both)).toEqual([]);
  expect(leftOutBy([off], both)).toEqual([]);
  expect(leftOutBy([on('p')], both)).toEqual([chat]);
  // A rule that names none means all.
  expect(leftOutBy([on('p'), on()], both)).toEqual([]);
  expect(describeLeftOut([chat])).toBe('No rule that is on names Chat: it is told of nothing.');
  expect(describeLeftOut(both)).toBe('No rule that is on names Pager and Chat: they are told of nothing.');
  expect(describeLeftOut([])).toBe('');
});
