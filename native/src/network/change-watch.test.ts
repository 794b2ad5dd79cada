import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createChangeWatch } from './change-watch.ts';
import type { NetworkChange } from './network.ts';
import type { WayOut } from './way-out.ts';

const way = (gateway: string | undefined, ssid?: string): WayOut => ({
  v4: gateway === undefined ? undefined : { interfaceIndex: 2, gateway, source: '192.168.1.20' },
  v6: undefined,
  identity: gateway === undefined ? undefined : { ssid, gateway, domain: undefined, tunnel: false },
});

let present: WayOut;
let looks: number;
let seen: NetworkChange[];
beforeEach(() => {
  vi.useFakeTimers();
  present = way('192.168.1.1', 'home');
  looks = 0;
  seen = [];
});
afterEach(() => void vi.useRealTimers());

async function startWatch() {
  const look = async () => {
    looks += 1;
    return present;
  };
  const watch = createChangeWatch({ look, onChange: (change) => void seen.push(change) });
  await vi.advanceTimersByTimeAsync(0);
  return watch;
}
const quiet = () => vi.advanceTimersByTimeAsync(1000);

it('says nothing of what was there at the start and of announcements that change nothing', async () => {
  const watch = await startWatch();
  watch.note();
  watch.note(() => false);
  await quiet();
  expect(seen).toEqual([]);
  expect(looks).toBe(2);
});

it('says at once that the network is left, and once that another one is joined, be its gateway the same', async () => {
  const watch = await startWatch();
  watch.note(() => true);
  watch.note(() => true);
  expect(seen).toEqual(['left']);
  await vi.advanceTimersByTimeAsync(900);
  watch.note();
  await vi.advanceTimersByTimeAsync(900);
  expect(seen).toEqual(['left']);
  await quiet();
  expect(seen).toEqual(['left', 'joined']);
});

it('tells networks with one gateway address apart by their names', async () => {
  const watch = await startWatch();
  present = way('192.168.1.1', 'café');
  watch.note();
  await quiet();
  expect(seen).toEqual(['joined']);
});

it('waits for a way out before it says joined', async () => {
  const watch = await startWatch();
  present = way(undefined);
  watch.note();
  await quiet();
  watch.note();
  await quiet();
  expect(seen).toEqual(['left']);
  present = way('192.168.1.1', 'home');
  watch.note();
  await quiet();
  expect(seen).toEqual(['left', 'joined']);
});

it('looks after five seconds however much is announced, and never after it was stopped', async () => {
  const watch = await startWatch();
  present = way('10.0.0.1');
  for (let i = 0; i < 11; i += 1) {
    watch.note();
    await vi.advanceTimersByTimeAsync(500);
  }
  expect(seen).toEqual(['joined']);
  watch.note(() => false);
  watch.stop();
  watch.note(() => true);
  present = way('10.0.0.2');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(seen).toEqual(['joined']);
});
