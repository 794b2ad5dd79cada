import { expect, it, vi } from 'vitest';
import { createActivity } from '../measure/activity.ts';
import type { RoundPart } from '../measure/measurer.ts';
import { createRounds } from './rounds.ts';
import { createTestNow } from './test-now.ts';

type All = (depth: unknown, onPart: (part: RoundPart) => void) => Promise<unknown>;

function testWith(all: All, giveUpMs?: number) {
  const lines: string[] = [];
  const activity = createActivity();
  const uplink = { wake: () => undefined };
  const test = createTestNow({
    clock: { now: () => 1000 },
    activity,
    measurer: { all: all as never },
    context: { refresh: async () => undefined },
    rounds: createRounds({ log: (line) => lines.push(line), activity, measurer: { all: all as never }, uplink }),
    uplink,
    faces: { changed: () => undefined },
    ...(giveUpMs === undefined ? {} : { giveUpMs }),
  });
  return { activity, test, lines };
}

it('gives way to a person, tells its progress, and is one test at a time', async () => {
  const over = Promise.withResolvers<void>();
  const now = testWith(async (_depth, onPart) => {
    onPart('wifi');
    await over.promise;
    onPart('sessions');
  });
  const before = now.activity.signal();
  const test = now.test.start();
  expect(before.aborted).toBe(true);
  expect(now.activity.isHalted()).toBe(false);
  expect(now.test.start()).toBe(test);
  expect(now.test.view()).toBe(test);
  expect(test).toMatchObject({ running: true, startedMs: 1000, endsMs: 31_000, done: ['wifi'] });
  over.resolve();
  await vi.waitFor(() => expect(test).toMatchObject({ running: false, done: ['wifi', 'sessions', 'verdict'], failed: false }));
  expect(now.test.start()).not.toBe(test);
});

it('gives up what takes too long, and answers with what is there', async () => {
  const now = testWith(async (_depth, onPart) => {
    const signal = now.activity.signal();
    onPart('wifi');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    now.activity.signal().throwIfAborted();
  }, 30);
  const test = now.test.start();
  await vi.waitFor(() => expect(test).toMatchObject({ running: false, failed: false, done: ['wifi', 'verdict'] }));
});

it('fails without a word where a pause ends it, and with one where it breaks', async () => {
  const paused = testWith(async () => {
    const signal = paused.activity.signal();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw signal.reason;
  });
  const test = paused.test.start();
  paused.activity.halt('paused');
  await vi.waitFor(() => expect(test).toMatchObject({ running: false, failed: true }));
  expect(paused.lines).toEqual([]);
  const broken = testWith(() => Promise.reject(new Error('no netlink')));
  broken.test.start();
  await vi.waitFor(() => expect(broken.lines).toEqual(['A measurement failed: no netlink']));
});
