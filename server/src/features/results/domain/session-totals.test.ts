import { expect, it } from 'vitest';
import { listPhases } from './session-totals.ts';

it('lists phases most often first, by name on a tie, and a failure that does not say where as null', () => {
  expect(listPhases({ tls: 1, dns: 2, '': 2, connect: 1 })).toEqual([
    { phase: null, count: 2 },
    { phase: 'dns', count: 2 },
    { phase: 'connect', count: 1 },
    { phase: 'tls', count: 1 },
  ]);
  expect(listPhases({})).toEqual([]);
});
