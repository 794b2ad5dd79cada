import { TestSpec, type TestSpecInput } from '@svc/contracts/tests/test';
import { expect, it } from 'vitest';
import { findHeldBack, hostOf } from './run-rates.ts';

it.each([
  ['tcp', 'Shop.example.:443', 'shop.example'],
  ['https', 'https://shop.example./a', 'shop.example'],
  ['tcp', '[2001:db8::1]:443', '2001:db8::1'],
  ['https', 'https://[2001:db8::1]/', '2001:db8::1'],
])('a bound of a host holds however a test of %s spells it: %s', (type, target, host) => {
  expect(hostOf(TestSpec.parse({ name: 'a', type, target, params: {} } as TestSpecInput))).toBe(host);
});

const tcp = (id: string, host: string, more: object = {}) => ({
  ...TestSpec.parse({ name: id, type: 'tcp', target: `${host}:443`, interval_seconds: 1, ...more } as TestSpecInput),
  id,
});
const bounds = { maxRunsPerSecond: 3, maxTargetRunsPerSecond: 2 };
const held = (tests: Parameters<typeof findHeldBack>[0], runners = 1) => [...findHeldBack(tests, { runners, bounds })];

it('no test is held back while the rates leave room for all', () => {
  expect(held([tcp('1', 'a'), tcp('2', 'a'), tcp('3', 'b'), tcp('4', 'c', { enabled: false })])).toEqual([]);
});

it('of tests that pass the rate of the tenant or of a host, the oldest run', () => {
  expect(held([tcp('4', 'c'), tcp('2', 'b'), tcp('3', 'c'), tcp('1', 'a')])).toEqual(['4']);
  expect(held([tcp('3', 'a'), tcp('2', 'a'), tcp('1', 'a')])).toEqual(['3']);
  // What comes later and still has room is run.
  expect(held([tcp('1', 'a'), tcp('2', 'a'), tcp('3', 'a'), tcp('4', 'b')])).toEqual(['3']);
});

it('more runners may leave room for fewer tests that run on all of them', () => {
  const everywhere = { runners: { mode: 'all' } };
  const tests = [tcp('1', 'a', everywhere), tcp('2', 'b', everywhere)];
  expect(held(tests, 1)).toEqual([]);
  expect(held(tests, 2)).toEqual(['2']);
});
