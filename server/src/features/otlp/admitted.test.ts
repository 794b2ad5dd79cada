import { createSharedPieces } from '@svc/otlp-wire/shared-pieces';
import { expect, it } from 'vitest';
import { parseTenantId } from '#kernel';
import { Admitted } from './admitted.ts';
import { createBudget } from './budget.ts';

const MIB = 1024 * 1024;
const tenant = parseTenantId('acme');
const entry = { id: 'a', tenant, expiresAtMs: null, revoked: false };
const memory = createSharedPieces({ smallestBytes: MIB / 64, sizes: 9, mostBytes: 64 * MIB });

it('counts among the requests of its tenant until its answer is taken, and gives its bytes back before', () => {
  const budget = createBudget(MIB);
  const requests = Array.from({ length: 4096 }, () => new Admitted(entry, budget.hold(tenant), memory));
  const [answered, cut] = requests as [Admitted, Admitted];
  answered.held.grow(MIB);
  answered.finish();
  expect(budget.usedBytes()).toBe(0);
  expect(() => budget.hold(tenant)).toThrow('Too many requests');
  answered.leave();
  answered.leave();
  budget.hold(tenant);
  // Its sender has gone, and the bus still has its bytes.
  cut.held.grow(MIB);
  cut.leave();
  expect(budget.usedBytes()).toBe(MIB);
  expect(() => budget.hold(tenant)).toThrow('Too many requests');
  cut.finish();
  expect(budget.usedBytes()).toBe(0);
  budget.hold(tenant);
});
