import type { DeepTestView } from '@svc/contracts/agent/deep-test';
import type { AgentClock } from '../clock.ts';
import { type DeepTestDeps as RunDeps, runDeepTest } from '../deep-test/run-deep-test.ts';
import { type Activity, isHalt } from '../measure/activity.ts';
import type { Measurer } from '../measure/measurer.ts';
import type { ConnectedFaces } from './connected-faces.ts';
import type { DeepTestPlan } from './deep-test-plan.ts';
import type { Rounds } from './rounds.ts';

/** What a person is promised, and when whatever is still under way is given up. */
const LIMIT_MS = 30_000;
const GIVE_UP_MS = 28_500;

export interface DeepTestDeps {
  clock: Pick<AgentClock, 'now'>;
  activity: Activity;
  probes: RunDeps['probes'];
  measurer: Pick<Measurer, 'takeTurn' | 'hasEcho'>;
  rounds: Pick<Rounds, 'noteFailure'>;
  faces: Pick<ConnectedFaces, 'changed'>;
  plan(): Promise<DeepTestPlan>;
  giveUpMs?: number;
}

/** A deeper test for a person who waits. */
export interface DeepTest {
  /** Begins one; gives the state of the one that runs already where there is one. Measuring must be allowed. */
  start(): DeepTestView;
  /** The newest one. */
  view(): DeepTestView | undefined;
  /** What is measured by the way rests until it is over: the load would be all that it sees. */
  isRunning(): boolean;
}

/** Runs to its end and tells each step of it; never rejects. */
async function runTest(deps: DeepTestDeps, test: DeepTestView): Promise<void> {
  const { activity, probes, measurer, rounds, faces, giveUpMs = GIVE_UP_MS } = deps;
  const tell = (change: Partial<DeepTestView>): void => {
    Object.assign(test, change);
    faces.changed();
  };
  activity.restart('a person tests the line');
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('time is up')), giveUpMs);
  const signal = AbortSignal.any([activity.signal(), late.signal]);
  try {
    await runDeepTest({
      ...(await deps.plan()),
      probes,
      takeTurn: measurer.takeTurn,
      hasEcho: measurer.hasEcho(),
      signal,
      onPart: (part, result) => tell({ ...result, done: [...test.done, part] }),
    });
    tell({ running: false });
  } catch (error) {
    // What is there when the time is up is the answer.
    tell({ running: false, failed: !late.signal.aborted || test.done.length === 0 });
    if (!late.signal.aborted && !isHalt(error)) rounds.noteFailure(error);
  } finally {
    clearTimeout(timer);
  }
}

export function createDeepTest(deps: DeepTestDeps): DeepTest {
  let test: DeepTestView | undefined;
  return {
    start() {
      if (test?.running) return test;
      const startedMs = deps.clock.now();
      const facts = { line: null, mtu: null, pings: null, path: null };
      test = { running: true, startedMs, endsMs: startedMs + LIMIT_MS, done: [], failed: false, ...facts };
      void runTest(deps, test);
      deps.faces.changed();
      return test;
    },
    view: () => test,
    isRunning: () => test?.running === true,
  };
}
