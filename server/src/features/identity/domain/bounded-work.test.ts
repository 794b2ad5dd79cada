import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createBoundedWork, type WorkBounds } from './bounded-work.ts';
import type { Asker } from './lanes.ts';

const BOUNDS: WorkBounds = { maxRunning: 1, maxRunningOfLane: 1, maxWaiting: 64, maxWaitingOfSite: 32, maxWaitingOfAccount: 8 };

type Named = Partial<Asker> & { name: string };

/** Works that end when told to, in the order in which they started. A site and an account of their own unless they name one. */
function createWorks(bounds: Partial<WorkBounds> = {}) {
  const run = createBoundedWork({ ...BOUNDS, ...bounds });
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const ask = async ({ name, site = name, account = name, isKnown = false }: Named): Promise<string> => {
    try {
      return await run({ site, account, isKnown }, async () => {
        started.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return 'done';
      });
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  const endAll = async () => {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await turn();
    }
  };
  return { ask, started, endAll };
}

const named = (count: number, of: (at: number) => Named) => Array.from({ length: count }, (_, at) => of(at));

describe('at most two run at a time, one of a lane', () => {
  test.each([
    ['site', { site: 'x' }],
    ['account', { account: 'x' }],
  ])('of one %s', async (_, lane) => {
    const { ask, started, endAll } = createWorks({ maxRunning: 2 });
    const all = ['a1', 'a2', 'a3'].map((name) => ask({ ...lane, name }));
    all.push(ask({ name: 'b1' }));
    expect(started).toEqual(['a1', 'b1']);
    await endAll();
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done', 'done']);
    expect(started).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('and all places come back, also of works that fail', async () => {
    const run = createBoundedWork({ ...BOUNDS, maxRunning: 2 });
    const asker = { site: 'a', account: 'a', isKnown: false };
    await expect(run(asker, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const works = Array.from({ length: 5 }, () => run(asker, async () => 'done'));
    expect(await Promise.all(works)).toEqual(Array.from({ length: 5 }, () => 'done'));
  });
});

describe('whoever comes later is behind', () => {
  test('one of an account that is tried from many sites', async () => {
    const { ask, started, endAll } = createWorks();
    for (const one of named(8, (at) => ({ name: `a${at}`, account: 'tried' }))) void ask(one);
    void ask({ name: 'quiet' });
    await endAll();
    expect(started.indexOf('quiet')).toBe(2);
  });

  test('one of a site that tries many accounts', async () => {
    const { ask, started, endAll } = createWorks();
    for (const one of named(20, (at) => ({ name: `a${at}`, site: 'loud' }))) void ask(one);
    void ask({ name: 'quiet' });
    await endAll();
    expect(started.indexOf('quiet')).toBe(2);
  });

  test('one of another account of the same site', async () => {
    const { ask, started, endAll } = createWorks();
    for (const one of named(8, (at) => ({ name: `a${at}`, site: 'office', account: 'tried' }))) void ask(one);
    void ask({ name: 'quiet', site: 'office' });
    await endAll();
    expect(started.indexOf('quiet')).toBe(2);
  });

  test('one of many sites with accounts of their own, where it is known itself', async () => {
    const { ask, started, endAll } = createWorks();
    for (const one of named(40, (at) => ({ name: `a${at}` }))) void ask(one);
    void ask({ name: 'quiet', isKnown: true });
    await endAll();
    expect(started.indexOf('quiet')).toBe(1);
    expect(started).toHaveLength(41);
  });

  test('and known ones keep nobody waiting who is new', async () => {
    const { ask, started, endAll } = createWorks();
    for (const one of named(40, (at) => ({ name: `a${at}`, isKnown: true }))) void ask(one);
    void ask({ name: 'new' });
    await endAll();
    expect(started.indexOf('new')).toBe(1);
  });

  test('and one that comes again and again from new sites does not starve a large office', async () => {
    const { ask, started, endAll } = createWorks();
    for (const one of named(4, (at) => ({ name: `office ${at}`, site: 'office' }))) void ask(one);
    for (const one of named(20, (at) => ({ name: `a${at}` }))) void ask(one);
    await endAll();
    expect(started.slice(0, 2)).toEqual(['office 0', 'office 1']);
    expect(started.indexOf('office 3')).toBeLessThan(24);
  });
});

describe('a full lane', () => {
  test('refuses what is too much of its account, and leaves room for others', async () => {
    const { ask, endAll } = createWorks();
    const tried = named(12, (at) => ({ name: `a${at}`, account: 'tried' })).map(ask);
    const other = ask({ name: 'quiet' });
    await endAll();
    const results = await Promise.all(tried);
    expect(results.filter((one) => one === 'done')).toHaveLength(9);
    expect(results.filter((one) => one === 'rate_limited')).toHaveLength(3);
    expect(await other).toBe('done');
  });

  test('of an account has room for its owner, where another site holds it or the owner is known', async () => {
    const { ask, endAll } = createWorks();
    const tried = named(9, (at) => ({ name: `a${at}`, account: 'tried', site: 'loud' })).map(ask);
    const owner = ask({ name: 'owner', account: 'tried' });
    const spread = named(9, (at) => ({ name: `b${at}`, account: 'spread' })).map(ask);
    const known = ask({ name: 'known', account: 'spread', isKnown: true });
    await endAll();
    expect(await Promise.all([owner, known])).toEqual(['done', 'done']);
    expect((await Promise.all([...tried, ...spread])).filter((one) => one !== 'done')).toHaveLength(2 + 1);
  });

  test('refuses what is too much of its site', async () => {
    const { ask, endAll } = createWorks();
    const all = named(40, (at) => ({ name: `a${at}`, site: 'loud' })).map(ask);
    await endAll();
    expect((await Promise.all(all)).filter((one) => one === 'rate_limited')).toHaveLength(7);
  });
});

test('a full line gives a place of the greediest to another', async () => {
  const { ask, endAll } = createWorks({ maxWaiting: 6 });
  const loud = named(7, (at) => ({ name: `a${at}`, site: 'loud' })).map(ask);
  const others = named(3, (at) => ({ name: `b${at}` })).map(ask);
  const more = ask({ name: 'more', site: 'loud' });
  await endAll();
  expect(await Promise.all(others)).toEqual(['done', 'done', 'done']);
  expect(await more).toBe('unavailable');
  expect((await Promise.all(loud)).filter((one) => one === 'unavailable')).toHaveLength(3);
});
