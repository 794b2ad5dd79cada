import { execFileSync } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { nodeFlags } from '../../bin/node-flags.js';
import { letThreadsChooseYoungHeap, youngHeap } from './v8-heap.ts';

const MIB = 1024 * 1024;
/** Drops 100 MB of which a part lives for a while, so that V8 would like more room, and tells the room it has. */
const PROGRAM = `
  const { getHeapSpaceStatistics } = require('node:v8');
  const living = [];
  for (let i = 0; i < 1e6; i++) living[i % 50_000] = { i, text: [i] };
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  require('node:worker_threads').parentPort.postMessage(young.space_size);
`;

/** Has so much living that it is old when it goes, and tells the most that its heap took. */
const AGEING = `
  const living = [];
  let most = 0;
  for (let i = 0; i < 1e7; i++) {
    living[i % 300_000] = { i, text: [i] };
    if (i % 50_000 === 0) most = Math.max(most, process.memoryUsage().heapTotal);
  }
  process.stdout.write(String(most));
`;

async function bytesOf(semiSpaceMb: number): Promise<number> {
  const worker = new Worker(PROGRAM, { eval: true, resourceLimits: youngHeap(semiSpaceMb) });
  const bytes = await new Promise<number>((resolve, reject) => worker.once('message', resolve).once('error', reject));
  await worker.terminate();
  return bytes;
}

test('a thread has the young generation that it was given, whatever the process was started with', async () => {
  setFlagsFromString('--max-semi-space-size=8');
  letThreadsChooseYoungHeap();
  const [small, large] = [await bytesOf(1), await bytesOf(4)];
  expect(small).toBeLessThanOrEqual(2 * MIB);
  expect(large).toBeGreaterThan(2 * MIB);
  expect(large).toBeLessThanOrEqual(8 * MIB);
});

test('a heap is collected before it is much more than what lives in it', () => {
  // V8 collects beside the program and the sooner, the more time it gets: in its predictable mode the same program has the same heap each time.
  const mostWith = (flags: readonly string[]): number =>
    Number(execFileSync(process.execPath, [...flags, '--predictable', '--eval', AGEING], { encoding: 'utf8' }));
  const growth = '--heap-growing-percent=100';
  expect(nodeFlags).toContain(growth);
  expect(mostWith(nodeFlags)).toBeLessThan(mostWith(nodeFlags.filter((flag) => flag !== growth)) * 0.8);
});
