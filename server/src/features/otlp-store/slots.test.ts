import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

test('lets a few at a time through, the smallest of those that wait first, also after one that failed', async () => {
  const slots = createSlots(2);
  const began: number[] = [];
  const ends = new Map<number, (failed: boolean) => void>();
  const work = (size: number) =>
    slots.use(size, async () => {
      began.push(size);
      if (await new Promise<boolean>((end) => ends.set(size, end))) throw new Error('failed');
    });
  const all = [50, 40, 30, 10, 20].map((size) => work(size).catch((error: Error) => error.message));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  expect(began).toEqual([50, 40]);
  for (const size of [50, 40, 10, 20, 30]) {
    ends.get(size)?.(size === 50);
    await settle();
  }
  expect(began).toEqual([50, 40, 10, 20, 30]);
  expect(await Promise.all(all)).toEqual(['failed', undefined, undefined, undefined, undefined]);
});
