import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createPoolTurns, sharesOf } from './shares.ts';

const LOUD = parseTenantId('loud');
const QUIET = parseTenantId('quiet');

test.each([1, 2, 3, 5, 10, 50])('of a pool of %i connections each has its part, and one tenant never all', (size) => {
  const { tenants, alone, beside, background } = sharesOf(size);
  expect(Math.min(tenants, alone, beside, background)).toBeGreaterThan(0);
  expect(beside).toBeLessThanOrEqual(alone);
  if (size >= 3) expect(alone).toBeLessThan(tenants);
  if (size >= 5) expect(tenants + background).toBeLessThan(size);
});

test('one tenant keeps neither another one nor the work of the system from a connection', async () => {
  const turns = createPoolTurns(10);
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  let running = 0;
  const flood = Array.from({ length: 200 }, () =>
    turns.use(LOUD, false, () => {
      running++;
      return held;
    }),
  );
  const settled = Promise.allSettled(flood);
  await expect(flood.at(-1)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  expect(running).toBe(4);
  expect(await turns.use(QUIET, false, async () => 'at once')).toBe('at once');
  expect(await turns.use(LOUD, true, async () => 'at once too')).toBe('at once too');
  end();
  expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(132);
});
