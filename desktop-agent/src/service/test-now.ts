import type { TestView } from '@svc/contracts/agent/ipc';
import type { AgentClock } from '../clock.ts';
import { type Activity, isHalt } from '../measure/activity.ts';
import type { DeviceContext } from '../measure/device-context.ts';
import { FULL_DEPTH, type Measurer } from '../measure/measurer.ts';
import type { ConnectedFaces } from './connected-faces.ts';
import type { Rounds } from './rounds.ts';
import type { Uplink } from './uplink.ts';

/** What a person is promised. */
export const TEST_LIMIT_MS = 30_000;
/** Whatever is still under way then is given up: the verdict is made of what is there. */
const GIVE_UP_MS = 28_500;

export interface TestNowDeps {
  clock: Pick<AgentClock, 'now'>;
  activity: Activity;
  measurer: Pick<Measurer, 'all'>;
  context: Pick<DeviceContext, 'refresh'>;
  rounds: Pick<Rounds, 'noteFailure'>;
  uplink: Pick<Uplink, 'wake'>;
  faces: Pick<ConnectedFaces, 'changed'>;
  giveUpMs?: number;
}

/** A full round for a person who waits. */
export interface TestNow {
  /**
   * Begins one: what is measured by the way gives way to it. Gives the state of the one that runs already where there is one.
   * Measuring must be allowed.
   */
  start(): TestView;
  /** The newest one. */
  view(): TestView | undefined;
}

/** Runs to its end and tells each step of it; never rejects. */
async function runTest(deps: TestNowDeps, test: TestView): Promise<void> {
  const { activity, measurer, context, rounds, uplink, faces, giveUpMs = GIVE_UP_MS } = deps;
  const tell = (change: Partial<TestView>): void => {
    Object.assign(test, change);
    faces.changed();
  };
  activity.restart('a person wants to know now');
  const late = setTimeout(() => activity.restart('time is up'), giveUpMs);
  void context.refresh();
  try {
    await measurer.all(FULL_DEPTH, (part) => tell({ done: [...test.done, part] }));
    tell({ running: false, done: [...test.done, 'verdict'] });
    uplink.wake('now');
  } catch (error) {
    tell({ running: false, failed: true });
    if (!isHalt(error)) rounds.noteFailure(error);
  } finally {
    clearTimeout(late);
  }
}

export function createTestNow(deps: TestNowDeps): TestNow {
  let test: TestView | undefined;
  return {
    start() {
      if (test?.running) return test;
      const startedMs = deps.clock.now();
      test = { running: true, startedMs, endsMs: startedMs + TEST_LIMIT_MS, done: [], failed: false };
      void runTest(deps, test);
      deps.faces.changed();
      return test;
    },
    view: () => test,
  };
}
