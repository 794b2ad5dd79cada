import { afterEach, expect, test, vi } from 'vitest';
import type { LookUp } from './find-addresses.ts';
import { createOutbound } from './index.ts';
import { shareLookUps } from './share-look-ups.ts';

const ADDRESS = [{ address: '192.0.2.1', family: 4 as const }];
const log = { debug: () => undefined };

afterEach(() => void vi.useRealTimers());

/** Names of `slow.example` are never answered. */
function createNames() {
  const asked: string[] = [];
  let atOnce = 0;
  let most = 0;
  const lookUp: LookUp = async (host) => {
    asked.push(host);
    atOnce += 1;
    most = Math.max(most, atOnce);
    if (host.endsWith('slow.example')) await new Promise(() => undefined);
    await new Promise(setImmediate);
    atOnce -= 1;
    return ADDRESS;
  };
  return { asked, lookUp, most: () => most };
}

test('names that nobody answers take few threads, and those of others are found meanwhile', async () => {
  const names = createNames();
  const outbound = createOutbound({ lookUp: names.lookUp, log });
  const hostile = Array.from({ length: 30 }, (_, i) =>
    outbound.send({ url: `https://n${i}.slow.example/`, purpose: 'connector', share: 'loud', timeoutMs: 150 }),
  );
  await new Promise(setImmediate);
  for (const share of ['quiet', 'other']) {
    const answer = await outbound.send({ url: 'https://api.example/', purpose: 'connector', share, timeoutMs: 5000 });
    // Found: what is refused is where the name leads to.
    expect(answer).toMatchObject({ ok: false, fault: 'address_refused' });
  }
  for (const one of await Promise.all(hostile)) expect(one).toMatchObject({ ok: false, fault: 'timeout', mayHaveArrived: false });
  expect(names.most()).toBeLessThanOrEqual(4);
});

test('one name is looked for once at a time, and anew the next time', async () => {
  const names = createNames();
  const find = shareLookUps(names.lookUp);
  await Promise.all(Array.from({ length: 20 }, (_, i) => find('api.example', { share: `tenant-${i}` })));
  expect(names.asked.length).toBeLessThanOrEqual(5);
  await find('api.example', {});
  expect(names.asked.at(-1)).toBe('api.example');
});

test('a name of another tenant is looked up at once while those of ten tenants are not answered', async () => {
  const names = createNames();
  const outbound = createOutbound({ lookUp: names.lookUp, log });
  const hostile = Array.from({ length: 20 }, (_, i) =>
    outbound.send({ url: `https://n${i}.slow.example/`, purpose: 'connector', share: `loud-${i % 10}`, timeoutMs: 1000 }),
  );
  await new Promise(setImmediate);
  const answer = await outbound.send({ url: 'https://api.example/', purpose: 'connector', share: 'quiet', timeoutMs: 500 });
  expect(answer).toMatchObject({ ok: false, fault: 'address_refused' });
  for (const one of await Promise.all(hostile)) expect(one).toMatchObject({ ok: false, fault: 'timeout' });
});

test('tenants whose names were not answered lately hold four threads together, and none that others wait for', async () => {
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  const lookUp: LookUp = async (host) => {
    asked.push(host);
    if (host.endsWith('slow.example')) await new Promise<void>((resolve) => waiting.push(resolve));
    return ADDRESS;
  };
  const find = shareLookUps(lookUp);
  const settle = () => new Promise(setImmediate);
  const endAll = async () => {
    for (const end of waiting.splice(0)) end();
    await settle();
  };
  const ask = (round: number) =>
    Array.from({ length: 12 }, (_, i) => find(`n${i}-${round}.slow.example`, { share: `loud-${i}` }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const first = ask(1);
  await settle();
  expect(waiting).toHaveLength(12);
  vi.advanceTimersByTime(2001);
  await endAll();
  await Promise.all(first);
  const second = ask(2);
  await settle();
  expect(waiting).toHaveLength(4);
  expect(await find('api.example', { share: 'quiet' })).toEqual(ADDRESS);
  // Who was slow is not refused: its names are found in their turn.
  for (let round = 0; round < 3; round += 1) await endAll();
  await Promise.all(second);
  expect(asked.filter((host) => host.includes('-2.'))).toHaveLength(12);
  vi.advanceTimersByTime(60_001);
  const third = ask(3);
  await settle();
  expect(waiting).toHaveLength(12);
  await endAll();
  await Promise.all(third);
});
