import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { followRows } from './followed-rows.ts';

let tell: () => void = () => {};
const stop = vi.fn(async () => {});
const relational = {
  listen: async (_channel: string, onNotify: (payload: string) => void) => {
    tell = () => onNotify('');
    return stop;
  },
};
const warn = vi.fn();
let ended: (() => Promise<void>) | undefined;
afterEach(async () => {
  await ended?.();
  warn.mockClear();
  stop.mockClear();
});

async function start(load: () => Promise<void>, times: { sweepMs?: number; retryMs?: number } = {}) {
  const rows = followRows({ relational, channels: ['told'], load, what: 'rows', log: { warn }, ...times });
  ended = rows.close;
  await rows.start();
  return rows;
}

it('tries at one pace while the database is away, however often a change is told, and stops once it answers', async () => {
  let isAway = false;
  let reads = 0;
  await start(
    async () => {
      reads += 1;
      if (isAway) throw new Error('away');
    },
    { retryMs: 20, sweepMs: 5 },
  );
  isAway = true;
  for (let i = 0; i < 50; i += 1) tell();
  await sleep(200);
  // Ten tries, and what a slow machine makes of them: fifty loops would have made five hundred.
  expect(reads).toBeGreaterThan(2);
  expect(reads).toBeLessThan(30);
  isAway = false;
  await vi.waitFor(() => expect(warn.mock.calls.length).toBeLessThan(reads));
});

it('reads once more for a change that is told while it reads', async () => {
  const reads: PromiseWithResolvers<void>[] = [];
  let isHeld = false;
  await start(async () => {
    const read = Promise.withResolvers<void>();
    reads.push(read);
    if (isHeld) await read.promise;
  });
  isHeld = true;
  tell();
  await vi.waitFor(() => expect(reads).toHaveLength(2));
  for (let i = 0; i < 5; i += 1) tell();
  isHeld = false;
  reads[1]?.resolve();
  await vi.waitFor(() => expect(reads).toHaveLength(3));
  await sleep(20);
  expect(reads).toHaveLength(3);
});

it('gives a read that began after it was asked for, and what that read threw', async () => {
  let reads = 0;
  let fault: Error | undefined;
  const rows = await start(async () => {
    reads += 1;
    await sleep(5);
    if (fault) throw fault;
  });
  tell();
  await rows.refresh();
  expect(reads).toBeGreaterThanOrEqual(3);
  fault = new Error('gone');
  await expect(rows.refresh()).rejects.toThrow('gone');
});

it('hears nothing once it is closed', async () => {
  let reads = 0;
  const rows = await start(async () => {
    reads += 1;
  });
  await rows.close();
  tell();
  await sleep(10);
  expect({ reads, stopped: stop.mock.calls.length }).toEqual({ reads: 1, stopped: 1 });
});
