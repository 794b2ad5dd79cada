import { expect, test } from 'vitest';
import { createSessionPool } from './session-pool.ts';

test('lets as many work as there are members, the others in their order', async () => {
  const pool = createSessionPool(['a', 'b']);
  const log: string[] = [];
  let running = 0;
  const work = (name: number) =>
    pool.use(async (member) => {
      expect(++running).toBeLessThanOrEqual(2);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      log.push(`${name}`);
      return member;
    });
  const used = await Promise.all([1, 2, 3, 4, 5].map(work));
  expect(log).toEqual(['1', '2', '3', '4', '5']);
  expect(new Set(used)).toEqual(new Set(['a', 'b']));
});

test('frees a member whose work failed', async () => {
  const pool = createSessionPool(['only']);
  await expect(pool.use(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await pool.use(async (member) => member)).toBe('only');
});

test('refuses instead of letting callers wait without bound', async () => {
  const pool = createSessionPool(['only']);
  let free = (): void => undefined;
  const first = pool.use(() => new Promise<void>((resolve) => (free = resolve)));
  const waiting = Array.from({ length: 256 }, () => pool.use(async () => undefined));
  await expect(pool.use(async () => undefined)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 2 });
  free();
  await Promise.all([first, ...waiting]);
});
