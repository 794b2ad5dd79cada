import { expect, test } from 'vitest';
import { parseTenantId, type TenantId } from './tenant.ts';
import { createNeighbours, createTenantTurns, type TenantTurnsOptions } from './tenant-turns.ts';

const A = parseTenantId('a');
const B = parseTenantId('b');
const C = parseTenantId('c');

const open = (options: Partial<TenantTurnsOptions>) =>
  createTenantTurns({ alone: 2, maxWaiting: 64, refusal: 'Too many at once.', ...options });

/** Work that ends when it is told to. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test('a tenant has so many turns at once, the others in their order, and holds up nobody else', async () => {
  const turns = open({});
  const held = heldWork();
  const first = [turns.use(A, held.work), turns.use(A, held.work)];
  const order: number[] = [];
  const later = [1, 2, 3].map((n) => turns.use(A, async () => void order.push(n)));
  expect(await turns.use(B, async () => 'at once')).toBe('at once');
  expect([order, turns.running()]).toEqual([[], 2]);
  held.end();
  await Promise.all([...first, ...later]);
  expect([order, turns.running()]).toEqual([[1, 2, 3], 0]);
});

test('whoever stops waiting leaves the line, and its place to the next', async () => {
  const turns = open({ alone: 1, maxWaiting: 1 });
  const held = heldWork();
  const first = turns.use(A, held.work);
  const ending = new AbortController();
  const left = turns.use(A, async () => 'never', ending.signal);
  await expect(turns.use(A, async () => 'refused')).rejects.toMatchObject({ code: 'rate_limited' });
  ending.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  const next = turns.use(A, async () => 'next');
  held.end();
  await first;
  expect([await next, turns.running()]).toEqual(['next', 0]);
  await expect(turns.use(A, async () => 'never', ending.signal)).rejects.toThrow('left');
  expect(await turns.use(A, async () => 'still works')).toBe('still works');
});

test('one too many of a tenant is told to come again, and a failure gives its turn back', async () => {
  const turns = open({ alone: 1 });
  const held = heldWork();
  const first = turns.use(A, held.work);
  const waiting = Array.from({ length: 64 }, () => turns.use(A, async () => Promise.reject(new Error('broken'))));
  await expect(turns.use(A, async () => 1)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  expect(await turns.use(B, async () => 'not refused')).toBe('not refused');
  held.end();
  await first;
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected');
  expect(await turns.use(A, async () => 'free again')).toBe('free again');
});

test('what becomes free goes round: nobody waits behind all that another tenant asked', async () => {
  const turns = open({ total: 1 });
  const held = heldWork();
  const order: TenantId[] = [];
  const note = (tenant: TenantId) => turns.use(tenant, async () => void order.push(tenant));
  const all = [turns.use(A, held.work), ...[A, A, A, A, B, B, C].map(note)];
  held.end();
  await Promise.all(all);
  expect(order).toEqual([A, B, C, A, B, A, A]);
});

test('a tenant has more while no other one asks', async () => {
  let now = 0;
  const turns = open({ total: 8, alone: 4, beside: 2, nowMs: () => now });
  const held = heldWork();
  const seen: boolean[] = [];
  const ask = () =>
    turns.use(A, ({ isBesideOthers }) => {
      seen.push(isBesideOthers);
      return held.work();
    });
  const alone = Array.from({ length: 5 }, ask);
  expect(turns.running()).toBe(4);
  expect(await turns.use(B, async () => 'has its turn')).toBe('has its turn');
  held.end();
  await Promise.all(alone);
  const again = heldWork();
  const beside = Array.from({ length: 4 }, () => turns.use(A, again.work));
  expect(turns.running()).toBe(2);
  now = 20_000;
  const later = turns.use(A, again.work);
  again.end();
  await Promise.all([...beside, later]);
  expect(seen).toEqual([false, false, false, false, true]);
});

test('a tenant that only waits is still beside one that goes on asking', () => {
  let now = 0;
  const neighbours = createNeighbours(() => now);
  neighbours.note(A);
  expect(neighbours.areThereFor(A)).toBe(false);
  for (; now < 30_000; now += 5000) neighbours.note(B);
  expect([neighbours.areThereFor(A), neighbours.areThereFor(B)]).toEqual([true, false]);
  now = 60_000;
  expect(neighbours.areThereFor(A)).toBe(false);
});
