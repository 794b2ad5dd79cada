import { NOT_RUN_FAULTS, RUN_FAULTS } from '@svc/contracts/tests/run-report';
import { expect, it } from 'vitest';
import { assertionWords, isNotRun } from './assertion-words.ts';

it('names what a value is of', () => {
  expect(assertionWords({ rule: 'status', wanted: '2xx' })).toBe('Status is 2xx');
  expect(assertionWords({ rule: 'code', wanted: 'NOERROR' })).toBe('Code is NOERROR');
  expect(assertionWords({ rule: 'total_ms', wanted: 'all within 2000 ms' })).toBe('Total within 2000 ms');
  expect(assertionWords({ rule: 'body_contains', wanted: 'body contains “ok”' })).toBe('Body contains “ok”');
});

it('takes the faults with which nothing was measured as the contract does', () => {
  expect(RUN_FAULTS.filter(isNotRun)).toEqual(NOT_RUN_FAULTS);
  expect([null, undefined].map(isNotRun)).toEqual([false, false]);
});
