import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createTenantReaders } from './tenant-readers.ts';

const A = parseTenantId('a');
const B = parseTenantId('b');

/** Work that ends when it is told to. */
function heldWork() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

test('a tenant has so many questions at once, the others in their order, and holds up nobody else', async () => {
  const readers = createTenantReaders(2);
  const held = heldWork();
  const first = [readers.use(A, held.work), readers.use(A, held.work)];
  const order: number[] = [];
  const later = [1, 2, 3].map((n) => readers.use(A, async () => void order.push(n)));
  expect(await readers.use(B, async () => 'at once')).toBe('at once');
  expect(order).toEqual([]);
  held.end();
  await Promise.all([...first, ...later]);
  expect(order).toEqual([1, 2, 3]);
});

test('one tenant too many is told to come again, and a failure gives its place back', async () => {
  const readers = createTenantReaders(1);
  const held = heldWork();
  const first = readers.use(A, held.work);
  const waiting = Array.from({ length: 64 }, () => readers.use(A, async () => Promise.reject(new Error('broken'))));
  await expect(readers.use(A, async () => 1)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  held.end();
  await first;
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected');
  expect(await readers.use(A, async () => 'free again')).toBe('free again');
});
