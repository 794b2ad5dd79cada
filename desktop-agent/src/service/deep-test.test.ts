import { expect, it, vi } from 'vitest';
import { createActivity } from '../measure/activity.ts';
import { gateway, path } from '../testing/readings.ts';
import { createDeepTest, type DeepTestDeps } from './deep-test.ts';

/** A device that is not enrolled, with one trace target; `probes` changes what it can measure. */
function testWith(probes: Partial<DeepTestDeps['probes']> = {}, giveUpMs?: number) {
  const failures: string[] = [];
  const activity = createActivity();
  const test = createDeepTest({
    clock: { now: () => 1000 },
    activity,
    probes: {
      measureGateway: async () => gateway({ sent: 25 }),
      measurePath: async () => path(),
      measurePathMtu: async () => ({ unavailable: 'not_supported' }),
      ...probes,
    },
    measurer: { takeTurn: (work) => work(), hasEcho: () => true },
    rounds: { noteFailure: (error) => void failures.push((error as Error).message) },
    faces: { changed: () => undefined },
    plan: async () => ({
      hosts: [],
      target: '203.0.113.10',
      loadLine: async () => ({ idleMs: null, upload: null, download: null, fault: 'not_enrolled' }),
    }),
    ...(giveUpMs === undefined ? {} : { giveUpMs }),
  });
  return { test, activity, failures };
}

it('says what cannot be done without an organisation, does the rest, and is one test at a time', async () => {
  const { test, activity } = testWith();
  const before = activity.signal();
  const view = test.start();
  expect(before.aborted).toBe(true);
  expect(test.start()).toBe(view);
  expect(test.isRunning()).toBe(true);
  await vi.waitFor(() => expect(view.running).toBe(false));
  expect(view).toMatchObject({
    startedMs: 1000,
    endsMs: 31_000,
    failed: false,
    line: { fault: 'not_enrolled' },
    mtu: [],
    pings: { sent: 25 },
    path: { target: '203.0.113.10' },
  });
  expect([...view.done].sort()).toEqual(['line', 'mtu', 'path', 'pings']);
  expect(test.isRunning()).toBe(false);
  expect(test.view()).toBe(view);
});

const untilAborted = ({ signal }: { signal?: AbortSignal }) =>
  new Promise<never>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

it('gives up what takes too long and keeps what is there', async () => {
  const { test, failures } = testWith({ measurePath: untilAborted }, 50);
  const view = test.start();
  await vi.waitFor(() => expect(view).toMatchObject({ running: false, failed: false, path: null, pings: { sent: 25 } }));
  expect(failures).toEqual([]);
});

it('fails without a word where a pause ends it, and with one where it breaks', async () => {
  const paused = testWith({ measurePath: untilAborted });
  const view = paused.test.start();
  await vi.waitFor(() => expect(view.done).toContain('pings'));
  paused.activity.halt('paused');
  await vi.waitFor(() => expect(view).toMatchObject({ running: false, failed: true }));
  expect(paused.failures).toEqual([]);
  const broken = testWith({ measureGateway: () => Promise.reject(new Error('no netlink')) });
  broken.test.start();
  await vi.waitFor(() => expect(broken.failures).toEqual(['no netlink']));
});
