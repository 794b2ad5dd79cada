import type { AgentClock } from '../clock.ts';
import type { Activity } from '../measure/activity.ts';
import type { DeviceContext } from '../measure/device-context.ts';
import { USUAL_DEPTH } from '../measure/measurer.ts';
import type { ServiceDeps } from './deps.ts';
import type { Rounds } from './rounds.ts';
import type { Uplink } from './uplink.ts';

const SAME_WAKE_MS = 15_000;

export interface WakingDeps {
  clock: AgentClock;
  log: ServiceDeps['log'];
  activity: Activity;
  context: DeviceContext;
  rounds: Rounds;
  uplink: Uplink;
}

/** What follows when the machine falls asleep and wakes up. */
export interface Waking {
  /** The device slept or its network changed: what was under way is worth nothing, what is true now is measured at once. */
  measureAnew(): void;
  /** What is measured while the machine falls asleep measures the sleep. */
  followPower(power: 'suspend' | 'resume'): void;
}

export function createWaking({ clock, log, activity, context, rounds, uplink }: WakingDeps): Waking {
  let wokeSteadyMs = Number.NEGATIVE_INFINITY;
  const measureAnew = (): void => {
    const nowMs = clock.steady();
    // A window and this process' own watch both tell of it.
    if (nowMs - wokeSteadyMs < SAME_WAKE_MS) return;
    wokeSteadyMs = nowMs;
    log('Woke up; measuring anew.');
    context.noteResumed();
    void context.refresh();
    uplink.retryNow();
    rounds.run(USUAL_DEPTH);
  };
  return {
    measureAnew,
    followPower(power) {
      if (power === 'suspend') activity.restart('the machine goes to sleep');
      else measureAnew();
    },
  };
}
