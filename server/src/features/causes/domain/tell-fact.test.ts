import { expect, it } from 'vitest';
import { tellFact } from './tell-fact.ts';
import { outcome } from './test-facts.ts';

const say = (over: Parameters<typeof outcome>[0]): string => tellFact(outcome(over)).sentence;

it('tells what the runs of a test came to', () => {
  expect(say({ fault: 'refused' })).toBe('Shop home fails: 12 of 12 runs; the connection is refused.');
  expect(say({ failed: 0, passed: 20, fault: null })).toBe('Shop home (https) passes: 20 runs, none failed.');
});

it('says of how many runs it tells where and why, and where the others are', () => {
  const cut = { failed: 1200, passed: 1800, lookedAt: 200 };
  const rest = 'Where and why by the newest 200; the test’s page lists the others.';
  expect(say({ ...cut, fault: 'refused' })).toBe(`Shop home fails: 1,200 of 3,000 runs; the connection is refused. ${rest}`);
  expect(say({ ...cut, fault: null, failingFrom: [] })).toBe(`Shop home fails: 1,200 of 3,000 runs; the newest passed. ${rest}`);
});
