import { expect, test } from 'vitest';
import { createBoundedWork } from './bounded-work.ts';

test('two run at a time, some wait, the rest is refused, and all places come back', async () => {
  const run = createBoundedWork({ maxRunning: 2, maxWaiting: 3 });
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    return 'done';
  };
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => run(work)));
  expect(most).toBe(2);
  expect(all.map((one) => one.status)).toEqual([...Array(5).fill('fulfilled'), ...Array(3).fill('rejected')]);
  await expect(run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await Promise.all([run(work), run(work), run(work)])).toEqual(['done', 'done', 'done']);
});
