import { expect, test } from 'vitest';
import { type AffectingSignal, affectedBy } from './affected.ts';
import { type KnownEpisode, nextStep, type Step } from './episode.ts';
import { resolverOf, tellCause, tellIncident } from './sentence.ts';

const at = (minute: number): Date => new Date(Date.UTC(2026, 5, 2, 12, minute));
const open = { status: 'open', title: 'Opened by this.', resolvedBy: 'person' } as const;
const told = (given: Partial<Parameters<typeof tellIncident>[1][number]> = {}) => ({
  ...{ plane: 'tests' as const, severity: 'warning' as const, title: 'Shop home fails.', site: null, occurred_at: at(0) },
  ...{ recovered_at: null, ...given },
});

test('the gravest of what fails is told, with its place and how many there are', () => {
  expect(tellIncident(open, [told()])).toBe('Shop home fails.');
  const worst = told({ plane: 'endpoint', severity: 'critical', title: '41 of 64 devices are slow', site: 'Berlin' });
  expect(tellIncident(open, [told(), worst, told({ recovered_at: at(3) })])).toBe(
    '41 of 64 devices are slow (Berlin). 3 signals from 2 planes, 1 recovered.',
  );
  expect(tellIncident(open, [told(), told()])).toBe('Shop home fails. 2 signals.');
  const cause = 'it answers 502, wanted 200';
  expect(tellIncident(open, [told({ cause })])).toBe('Shop home fails: it answers 502, wanted 200.');
  expect(tellIncident(open, [told({ cause, recovered_at: at(3) })]), 'it is so no more').not.toContain('502');
});

test('what has recovered says how it ends', () => {
  const over = [told({ recovered_at: at(3) })];
  expect(tellIncident(open, over)).toBe('Shop home fails. Nothing fails any more.');
  expect(tellIncident({ ...open, status: 'resolved', resolvedBy: 'system' }, over)).toMatch(/resolved automatically/);
  expect(tellIncident({ ...open, status: 'resolved' }, over)).toMatch(/resolved by a person\.$/);
  const resolvedBy = resolverOf({ id: 'connector/1', name: 'ServiceNow (Service desk)' });
  expect(tellIncident({ ...open, status: 'resolved', resolvedBy }, over)).toMatch(
    / It was resolved in ServiceNow \(Service desk\)\.$/,
  );
  expect(tellIncident(open, [])).toMatch(/^Opened by this\./);
});

test('who resolved it is nobody, a person, or the place where somebody did', () => {
  expect(resolverOf({ id: 'system', name: 'system' })).toBe('system');
  expect(resolverOf({ id: 'ann', name: 'Ann' })).toBe('person');
  expect(resolverOf(null)).toBe('person');
  expect(resolverOf({ id: 'provider/pager_a', name: 'PagerDuty' })).toEqual({ place: 'PagerDuty' });
});

test('each thing that is hurt is told once, with its time; those that still hurt come first', () => {
  const common = { plane: 'tests' as const, kind: 'test.failing', target: null, site: null };
  const signals: AffectingSignal[] = [
    { ...common, attributes: { 'test.id': 't1', 'test.name': 'Home' }, occurred_at: at(5), recovered_at: at(9) },
    { ...common, attributes: { 'test.id': 't1', 'test.name': 'Home' }, occurred_at: at(1), recovered_at: at(2) },
    { ...common, plane: 'otlp' as const, target: 'checkout', attributes: {}, occurred_at: at(7), recovered_at: null },
    { ...common, plane: 'endpoint' as const, site: 'Berlin', attributes: {}, occurred_at: at(0), recovered_at: at(1) },
  ];
  expect(affectedBy(signals).map(({ kind, name, since, recovered_at: end }) => [kind, name, since, end])).toEqual([
    ['service', 'checkout', at(7).toISOString(), null],
    ['site', 'Berlin', at(0).toISOString(), at(1).toISOString()],
    ['test', 'Home', at(1).toISOString(), at(9).toISOString()],
  ]);
});

const known = (recoveredMs: number | null, isHeldBack = false) => ({ occurredMs: 10, recoveredMs, isHeldBack });
test.each<[string, KnownEpisode | undefined, { occurredMs: number; recovered: boolean }, Step]>([
  ['a first failure', undefined, { occurredMs: 1, recovered: false }, 'open'],
  ['a recovery of nothing', undefined, { occurredMs: 1, recovered: true }, 'nothing'],
  ['the same once more', known(null), { occurredMs: 10, recovered: false }, 'keep'],
  ['a recovery', known(null), { occurredMs: 20, recovered: true }, 'recover'],
  ['a recovery of the episode before, late', known(null), { occurredMs: 9, recovered: true }, 'nothing'],
  ['a failure of the episode before, late', known(20), { occurredMs: 20, recovered: false }, 'nothing'],
  ['a new failure', known(20), { occurredMs: 21, recovered: false }, 'open'],
  ['a recovery once more', known(20), { occurredMs: 30, recovered: true }, 'nothing'],
  ['a failure after maintenance', known(null, true), { occurredMs: 20, recovered: false }, 'release'],
])('%s: %o then %o is %s', (_words, ...[before, raised, step]) => {
  expect(nextStep(before, { ...raised, isHeldBack: false })).toBe(step);
});

test('why it fails is told below the title, and with the title of the signal that says it where that is another', () => {
  const cause = 'it answers 502, wanted 200';
  expect(tellCause('Shop home fails', { title: 'Shop home fails', cause })).toBe('It answers 502, wanted 200.');
  expect(tellCause('Shop home fails', { title: 'Cart fails', cause })).toBe('Cart fails: it answers 502, wanted 200.');
  expect([tellCause('Shop home fails', null), tellCause('a', { title: 'a', cause: '' })]).toEqual(['', '']);
});
