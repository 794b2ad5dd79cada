import type { TestView } from '@svc/contracts/agent/ipc';
import { isHalt } from '../measure/activity.ts';
import { FULL_DEPTH } from '../measure/measurer.ts';
import { noteFailure } from './rounds.ts';
import type { Running } from './running.ts';

/** What a person is promised. */
export const TEST_LIMIT_MS = 30_000;
/** Whatever is still under way then is given up: the verdict is made of what is there. */
const GIVE_UP_MS = 28_500;

/**
 * Begins a full round for a person who waits: what is measured by the way gives way to it. Gives the state of the one that runs
 * already where there is one. Measuring must be allowed.
 */
export function startTest(r: Running, giveUpMs = GIVE_UP_MS): TestView {
  if (r.test?.running) return r.test;
  const startedMs = r.deps.clock.now();
  const test: TestView = { running: true, startedMs, endsMs: startedMs + TEST_LIMIT_MS, done: [], failed: false };
  const tell = (change: Partial<TestView>): void => {
    Object.assign(test, change);
    r.changed();
  };
  r.test = test;
  r.activity.restart('a person wants to know now');
  const late = setTimeout(() => r.activity.restart('time is up'), giveUpMs);
  void r.context.refresh();
  r.measurer
    .all(FULL_DEPTH, (part) => tell({ done: [...test.done, part] }))
    .then(
      () => {
        tell({ running: false, done: [...test.done, 'verdict'] });
        r.link?.wake('now');
      },
      (error) => {
        tell({ running: false, failed: true });
        if (!isHalt(error)) noteFailure(r, error);
      },
    )
    .finally(() => clearTimeout(late));
  r.changed();
  return test;
}
