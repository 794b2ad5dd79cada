import { setImmediate as nextPass } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

function spin(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

it('does pieces in the order in which they came and gives what each gave', async () => {
  const turns = createTurns();
  const done: number[] = [];
  const given = await Promise.all([1, 2, 3].map((n) => turns(() => done.push(n))));
  expect(done).toEqual([1, 2, 3]);
  expect(given).toEqual([1, 2, 3]);
});

it('rejects with what a piece threw and goes on', async () => {
  const turns = createTurns();
  const failed = turns(() => {
    throw new Error('no');
  });
  const after = turns(() => 'yes');
  await expect(failed).rejects.toThrow('no');
  await expect(after).resolves.toBe('yes');
});

it('lets the loop pass between slices, so that others wait for about one slice and not for the whole queue', async () => {
  const turns = createTurns(2);
  let left = 40;
  const all = Promise.all(
    Array.from({ length: left }, () =>
      turns(() => {
        spin(1);
        left -= 1;
      }),
    ),
  );
  await nextPass();
  await nextPass();
  expect(left).toBeGreaterThan(20);
  await all;
  expect(left).toBe(0);
});

it('begins again after its queue was empty', async () => {
  const turns = createTurns();
  await turns(() => 1);
  expect(await turns(() => 2)).toBe(2);
});
