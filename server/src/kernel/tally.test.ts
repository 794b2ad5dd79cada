import { expect, it } from 'vitest';
import { createTally } from './tally.ts';

it('counts by tenant and word, and tenants beyond its bound together', () => {
  const tally = createTally<'kept' | 'lost'>();
  tally.add('acme', 'kept', 3);
  tally.add('acme', 'kept');
  tally.add('acme', 'lost', 0);
  for (let i = 1; i < 1000; i++) tally.add(`t${i}`, 'lost', 2);
  tally.add('acme', 'lost');
  tally.add('t5', 'kept');
  const entries = tally.read();
  const of = (tenant: string | undefined) =>
    entries.filter((entry) => entry.tenant === tenant).map(({ word, count }) => [word, count]);
  expect([of('acme'), of('t5')]).toEqual([
    [
      ['kept', 4],
      ['lost', 1],
    ],
    [
      ['lost', 2],
      ['kept', 1],
    ],
  ]);
  expect(new Set(entries.map(({ tenant }) => tenant)).size).toBe(201);
  expect(of(undefined)).toEqual([['lost', 2 * 800]]);
});
