import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { measureFairShare, repeatAtOnce } from './fair-share.ts';

test('tells what a quiet tenant waits alone and beside a loud one', async () => {
  let isLoud = false;
  const measured = await measureFairShare({
    quiet: () => sleep(isLoud ? 30 : 2).then(() => undefined),
    loud: async (signal) => {
      isLoud = true;
      await repeatAtOnce(2, signal, () => sleep(1));
      isLoud = false;
    },
    pairs: 3,
    requests: 3,
    warmUpMs: 5,
    pauseMs: 0,
  });
  expect(measured.alone.p95).toBeLessThan(20);
  expect(measured.beside.p50).toBeGreaterThan(25);
  expect(measured.boundMs).toBeCloseTo(measured.alone.p95 + 50);
});

test('a loud tenant that fails or stops early shows nothing', async () => {
  const options = { quiet: async () => undefined, pairs: 1, requests: 1, warmUpMs: 20 };
  const broken = measureFairShare({ ...options, loud: () => Promise.reject(new Error('could not sign in')) });
  await expect(broken).rejects.toThrow('could not sign in');
  await expect(measureFairShare({ ...options, loud: async () => undefined })).rejects.toThrow('ended before');
});

test('requests are repeated until the signal, refused or not', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  const ended = await repeatAtOnce(2, stop.signal, async () => Promise.reject(new Error('rate limited')));
  expect(ended).toBeGreaterThanOrEqual(2);
});
