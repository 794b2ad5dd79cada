import { expect, it, vi } from 'vitest';
import { createActivity } from '../measure/activity.ts';
import type { RoundPart } from '../measure/measurer.ts';
import type { Running } from './running.ts';
import { startTest } from './test-now.ts';

type All = (depth: unknown, onPart: (part: RoundPart) => void) => Promise<unknown>;

function running(all: All) {
  const lines: string[] = [];
  const r = {
    activity: createActivity(),
    measurer: { all },
    context: { refresh: async () => undefined },
    deps: { clock: { now: () => 1000 }, log: (line: string) => lines.push(line) },
    changed: () => undefined,
    test: undefined,
    stopped: false,
  } as unknown as Running;
  return { r, lines };
}

it('gives way to a person, tells its progress, and is one test at a time', async () => {
  const over = Promise.withResolvers<void>();
  const { r } = running(async (_depth, onPart) => {
    onPart('wifi');
    await over.promise;
    onPart('sessions');
  });
  const before = r.activity.signal();
  const test = startTest(r);
  expect(before.aborted).toBe(true);
  expect(r.activity.isHalted()).toBe(false);
  expect(startTest(r)).toBe(test);
  expect(test).toMatchObject({ running: true, startedMs: 1000, endsMs: 31_000, done: ['wifi'] });
  over.resolve();
  await vi.waitFor(() => expect(test).toMatchObject({ running: false, done: ['wifi', 'sessions', 'verdict'], failed: false }));
  expect(startTest(r)).not.toBe(test);
});

it('gives up what takes too long, and answers with what is there', async () => {
  const { r } = running(async (_depth, onPart) => {
    const signal = r.activity.signal();
    onPart('wifi');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    r.activity.signal().throwIfAborted();
  });
  const test = startTest(r, 30);
  await vi.waitFor(() => expect(test).toMatchObject({ running: false, failed: false, done: ['wifi', 'verdict'] }));
});

it('fails without a word where a pause ends it, and with one where it breaks', async () => {
  const paused = running(async () => {
    const signal = paused.r.activity.signal();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw signal.reason;
  });
  const test = startTest(paused.r);
  paused.r.activity.halt('paused');
  await vi.waitFor(() => expect(test).toMatchObject({ running: false, failed: true }));
  expect(paused.lines).toEqual([]);
  const broken = running(() => Promise.reject(new Error('no netlink')));
  startTest(broken.r);
  await vi.waitFor(() => expect(broken.lines).toEqual(['A measurement failed: no netlink']));
});
