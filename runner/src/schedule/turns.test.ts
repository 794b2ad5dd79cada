import { expect, it } from 'vitest';
import { createCpuShares, ONE_OWNER } from './cpu-shares.ts';
import { createTurns } from './turns.ts';

const work = (ms: number): void => {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
};

it('lets timers and what comes in go on between two pieces', async () => {
  const turns = createTurns(ONE_OWNER);
  const ticks: number[] = [];
  const timer = setInterval(() => ticks.push(performance.now()), 1);
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await turns.take('one');
      work(10);
    }),
  );
  clearInterval(timer);
  expect(ticks.length).toBeGreaterThan(15);
});

it('gives owners their turns alike, whoever has more to do', async () => {
  const turns = createTurns(ONE_OWNER);
  const order: string[] = [];
  const take = async (owner: string) => {
    await turns.take(owner);
    order.push(owner);
  };
  await Promise.all([...Array.from({ length: 50 }, () => take('many')), take('few'), take('few')]);
  expect(order.indexOf('few')).toBeLessThan(3);
  expect(order.lastIndexOf('few')).toBeLessThan(5);
});

it('leaves the loop to others for as long as a piece took', async () => {
  const turns = createTurns(ONE_OWNER);
  const began = performance.now();
  for (let i = 0; i < 4; i += 1) {
    await turns.take('one');
    work(50);
  }
  expect(performance.now() - began).toBeGreaterThan(4 * 50 + 3 * 45);
});

it('lets one that is above its share wait, and nobody else', async () => {
  const shares = createCpuShares();
  shares.spend('heavy', 2000);
  const turns = createTurns(shares);
  let isHeavyDone = false;
  const heavy = turns.take('heavy').then((isHeld) => {
    isHeavyDone = true;
    return isHeld;
  });
  expect(await turns.take('light')).toBe(false);
  expect(isHeavyDone).toBe(false);
  expect(turns.waiting('heavy')).toBe(1);
  expect(await heavy).toBe(true);
});
