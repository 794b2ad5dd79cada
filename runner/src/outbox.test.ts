import { expect, it, vi } from 'vitest';
import { createOutbox } from './outbox.ts';

it('delivers in order and again after a failure, nothing twice and nothing lost', async () => {
  const seen: number[] = [];
  let fails = 3;
  const outbox = createOutbox<number>({
    retryMs: [1, 2],
    maxBatch: 10,
    deliver: async (items) => {
      if (fails > 0) {
        fails -= 1;
        throw new Error('away');
      }
      seen.push(...items);
    },
  });
  for (let n = 0; n < 35; n += 1) outbox.add(n);
  await vi.waitFor(() => expect(seen).toHaveLength(35));
  expect(seen).toEqual(Array.from({ length: 35 }, (_, n) => n));
  expect(outbox.size()).toBe(0);
});

it('drops the oldest beyond its bound, and counts them', async () => {
  const outbox = createOutbox<number>({ maxItems: 10, deliver: async () => await new Promise<never>(() => {}) });
  for (let n = 0; n < 25; n += 1) outbox.add(n);
  expect([outbox.size(), outbox.dropped()]).toEqual([10, 15]);
});

it('tries once more when it is closed, and lets go', async () => {
  let tries = 0;
  const outbox = createOutbox<number>({
    retryMs: [60_000, 60_000],
    deliver: async () => {
      tries += 1;
      throw new Error('away');
    },
  });
  outbox.add(1);
  await vi.waitFor(() => expect(tries).toBe(1));
  await outbox.close();
  expect(tries).toBe(2);
  outbox.add(2);
  expect(tries).toBe(2);
});
