import type { TestList } from '@svc/contracts/tests/views';
import { expect, it } from 'vitest';
import { testRow } from '../../../testing/test-examples.ts';
import { buildHeadline, buildRemainder, type HeadPart } from './tests-sentence.ts';

const counts = (more: Partial<TestList['counts']>): TestList['counts'] => ({
  ...{ failing: 0, not_running: 0, new: 0, paused: 0, passing: 0 },
  ...more,
});
const say = (parts: HeadPart[]): string => parts.map((part) => ('at' in part ? `[${part.at}]` : part.text)).join('');

const failing = (name: string, since: string, runner = 'Berlin') =>
  testRow(name, {
    state: 'failing',
    since,
    runners: [
      { id: 'b', name: runner, state: 'failing' },
      { id: 'h', name: 'Hamburg', state: 'passing' },
    ],
  });

it('names what all failing tests share and since when the first of them fails', () => {
  const rows = [failing('a', '2026-11-24T14:04:00Z'), failing('b', '2026-11-24T14:03:00Z')];
  expect(say(buildHeadline(counts({ failing: 2, passing: 36 }), rows))).toBe(
    '2 of 38 tests fail, all of shop.example from Berlin since [2026-11-24T14:03:00Z].',
  );
});

it('names the one that fails', () => {
  expect(say(buildHeadline(counts({ failing: 1, passing: 3 }), [failing('Checkout', '2026-11-24T14:04:00Z')]))).toBe(
    '1 of 4 tests fails: Checkout, from Berlin since [2026-11-24T14:04:00Z].',
  );
});

it('claims nothing that does not hold for each of them, or that it does not know', () => {
  const rows = [failing('a', '2026-11-24T14:04:00Z'), failing('b', '2026-11-24T14:03:00Z', 'Lisbon')];
  expect(say(buildHeadline(counts({ failing: 2, passing: 3 }), rows))).not.toContain('from');
  expect(say(buildHeadline(counts({ failing: 60, passing: 3 }), rows))).toBe('60 of 63 tests fail.');
});

it('counts what does not run apart, with its reason where there is one', () => {
  const rows = [testRow('erp', { state: 'not_running', not_running: 'no_runner_connected' })];
  expect(say(buildHeadline(counts({ not_running: 1, passing: 2 }), rows))).toBe('1 does not run: no runner connected.');
  expect(buildRemainder(counts({ not_running: 1, passing: 2, paused: 1 }))).toBe('2 pass. 1 is paused.');
});

it('says what is fine where nothing hurts', () => {
  expect(say(buildHeadline(counts({ passing: 3 }), []))).toBe('All 3 tests pass.');
  expect(say(buildHeadline(counts({ passing: 3, paused: 1 }), []))).toBe('No test fails. 3 of 4 pass.');
  expect(say(buildHeadline(counts({ new: 2 }), []))).toBe('None of 2 tests has run yet.');
  expect(say(buildHeadline(counts({ paused: 1 }), []))).toBe('The one test is paused.');
  expect(buildRemainder(counts({ passing: 3, paused: 1 }))).toBe('1 is paused.');
  expect(buildRemainder(counts({ new: 2 }))).toBe('');
});
