import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { putThreadsBehind } from './thread-priority.ts';

const MODULE = new URL('./thread-priority.ts', import.meta.url).href;
/** Tells its own priority, before and after each message; 'stand' has it stand behind by itself. */
const PROGRAM = `
  const { getPriority } = require('node:os');
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async (wish) => {
    if (wish === 'stand') (await import(${JSON.stringify(MODULE)})).standBehind();
    parentPort.postMessage(getPriority());
  });
`;

async function startThread(name: string) {
  const worker = new Worker(PROGRAM, { eval: true, name });
  const ask = (wish: string): Promise<number> => {
    worker.postMessage(wish);
    return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  };
  return { ask, [Symbol.asyncDispose]: async () => void (await worker.terminate()) };
}

describe.runIf(process.platform === 'linux')('a thread that stands behind others (Linux)', () => {
  test('is the one that asks for it, and no other', async () => {
    const before = getPriority();
    await using thread = await startThread('behind-own');
    expect(await thread.ask('tell')).toBe(before);
    expect(await thread.ask('stand')).toBe(10);
    expect(getPriority()).toBe(before);
  });

  test('is each of a name', async () => {
    const before = getPriority();
    await using one = await startThread('behind-named');
    await using same = await startThread('behind-named');
    await using other = await startThread('behind-other');
    for (const thread of [one, same, other]) expect(await thread.ask('tell')).toBe(before);
    expect(putThreadsBehind('behind-named')).toBe(2);
    expect([await one.ask('tell'), await same.ask('tell'), await other.ask('tell')]).toEqual([10, 10, before]);
    expect(getPriority()).toBe(before);
  });

  test('is none where none has the name', () => {
    expect(putThreadsBehind('behind-nobody')).toBe(0);
  });
});
