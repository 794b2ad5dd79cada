import { expect, it, vi } from 'vitest';
import { watchHosts } from './watch-hosts.ts';

it('has the addresses of all hosts before it is there, and keeps those of one that is not found any more', async () => {
  let isAway = false;
  const resolve = async ([host = '']: readonly string[]) =>
    isAway && host === 'queue.internal' ? [] : [host === 'queue.internal' ? '10.4.4.4' : '10.5.5.5%eth0'];
  const addresses = await watchHosts(['queue.internal', 'store.internal'], { everyMs: 10, resolve });
  expect(addresses()).toEqual(['10.4.4.4', '10.5.5.5']);
  isAway = true;
  await new Promise((done) => setTimeout(done, 50));
  expect(addresses()).toEqual(['10.4.4.4', '10.5.5.5']);
});

it('asks soon again for one that was never found', async () => {
  let isThere = false;
  const addresses = await watchHosts(['queue.internal'], {
    ...{ everyMs: 60_000, unknownEveryMs: 5 },
    resolve: async () => (isThere ? ['10.4.4.4'] : []),
  });
  expect(addresses()).toEqual([]);
  isThere = true;
  await vi.waitFor(() => expect(addresses()).toEqual(['10.4.4.4']));
});
