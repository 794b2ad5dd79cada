import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { type Cuts, keepCut } from './sample.ts';

const LOUD = parseTenantId('loud');
const QUIET = parseTenantId('quiet');

test('a tenant that asks for ever new plots pushes out its own, and nobody else’s', () => {
  const cuts: Cuts = new Map();
  const cut = { longerThan: '1', hashBelow: 1 } as unknown as Parameters<typeof keepCut>[2];
  const keep = (tenant: typeof LOUD, n: number) => keepCut(cuts, { tenant, key: JSON.stringify([tenant, n]) }, cut);
  for (let n = 0; n < 1000; n++) keep(LOUD, n);
  keep(QUIET, 1);
  for (let n = 1000; n < 5000; n++) keep(LOUD, n);
  expect([cuts.size, cuts.has('["quiet",1]'), cuts.has('["loud",4999]')]).toEqual([1000, true, true]);
});
