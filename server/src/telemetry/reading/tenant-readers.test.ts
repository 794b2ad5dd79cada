import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createTenantReaders, type ReadShare } from './tenant-readers.ts';

const LOUD = parseTenantId('loud');
const QUIET = parseTenantId('quiet');

const openReaders = () => {
  let now = 0;
  const readers = createTenantReaders(2, { nowMs: () => now });
  return {
    wait: (ms: number) => {
      now += ms;
    },
    /** A question that takes so long. */
    ask: (tenant: typeof LOUD, tookMs: number): Promise<ReadShare> =>
      readers.use(tenant, async (share) => {
        now += tookMs;
        return share;
      }),
    readers,
  };
};

test('a tenant has so many questions at once, and 64 that wait', async () => {
  const { readers } = openReaders();
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  const all = Array.from({ length: 66 }, () => readers.use(LOUD, () => held));
  await expect(readers.use(LOUD, async () => 1)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  expect(await readers.use(QUIET, async () => 'at once')).toBe('at once');
  end();
  await Promise.all(all);
});

test('whoever asked for much lately goes behind whoever asked for little, and is forgiven with time', async () => {
  const { ask, wait } = openReaders();
  expect((await ask(LOUD, 5000)).priority).toBe(1);
  expect((await ask(QUIET, 50)).priority).toBe(1);
  expect((await ask(LOUD, 20_000)).priority).toBeGreaterThan(3);
  expect((await ask(QUIET, 50)).priority).toBe(1);
  wait(120_000);
  expect((await ask(LOUD, 1)).priority).toBe(1);
});

test('a loud tenant has all threads for itself while nobody else asks, and one beside others', async () => {
  const { ask } = openReaders();
  await ask(LOUD, 20_000);
  expect((await ask(LOUD, 1)).onOneThread).toBe(false);
  expect((await ask(QUIET, 1)).onOneThread).toBe(false);
  expect((await ask(LOUD, 1)).onOneThread).toBe(true);
});

test('a loud tenant has half as many questions at once beside others, and all again once nobody else asks', async () => {
  const { ask, wait, readers } = openReaders();
  const begun = (tenant: typeof LOUD, count: number) => {
    const { promise: held, resolve: end } = Promise.withResolvers<void>();
    let running = 0;
    const all = Array.from({ length: count }, () =>
      readers.use(tenant, () => {
        running++;
        return held;
      }),
    );
    const finish = async (): Promise<void> => {
      end();
      await Promise.all(all);
    };
    return { running: () => running, end: finish };
  };
  await ask(LOUD, 20_000);
  const alone = begun(LOUD, 4);
  expect(alone.running()).toBe(2);
  await alone.end();
  await ask(QUIET, 1);
  const [beside, quiet] = [begun(LOUD, 4), begun(QUIET, 4)];
  expect([beside.running(), quiet.running()]).toEqual([1, 2]);
  await Promise.all([beside.end(), quiet.end()]);
  wait(11_000);
  const later = begun(LOUD, 4);
  expect(later.running()).toBe(2);
  await later.end();
});

test('where other processes ask the same store, a loud tenant has one thread for each of several questions and all for a single one', async () => {
  let now = 0;
  const readers = createTenantReaders(4, { nowMs: () => now, sharesStore: true });
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  const ask = () => readers.use(LOUD, async (share) => held.then(() => share));
  await readers.use(LOUD, async () => {
    now += 20_000;
  });
  const shares = Promise.all([ask(), ask(), ask()]);
  end();
  expect((await shares).map(({ onOneThread }) => onOneThread)).toEqual([false, true, true]);
  expect((await ask()).onOneThread).toBe(false);
});
