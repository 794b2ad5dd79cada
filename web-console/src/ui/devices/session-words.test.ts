import { expect, it } from 'vitest';
import { describeFailures } from './session-words.ts';

it('counts failures and names the phase at which they failed', () => {
  const of = 12;
  expect(describeFailures({ failed: 3, of, phases: [{ phase: 'tls', count: 3 }] })).toBe('3 of 12 failed at TLS');
  const two = [
    { phase: 'tls', count: 2 },
    { phase: 'dns', count: 1 },
  ];
  expect(describeFailures({ failed: 3, of, phases: two })).toBe('3 of 12 failed, 2 at TLS and 1 at DNS');
});

it('claims no phase that nobody knows', () => {
  expect(describeFailures({ failed: 1, of: 1, phases: [{ phase: null, count: 1 }] })).toBe('1 of 1 failed');
  const mixed = [
    { phase: null, count: 2 },
    { phase: 'proxy', count: 1 },
  ];
  expect(describeFailures({ failed: 3, of: 4, phases: mixed })).toBe('3 of 4 failed, 1 at the proxy');
  expect(describeFailures({ failed: 0, of: 9, phases: [] })).toBe('');
});
