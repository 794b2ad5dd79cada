import type { AgentClock } from '../clock.ts';
import type { Activity } from '../measure/activity.ts';
import type { DeviceContext } from '../measure/device-context.ts';
import { type Measurer, USUAL_DEPTH } from '../measure/measurer.ts';
import { createSleepWatch } from '../measure/sleep-watch.ts';
import type { ServiceDeps } from './deps.ts';
import type { Rounds } from './rounds.ts';
import type { Uplink } from './uplink.ts';

const SAME_WAKE_MS = 15_000;

export interface WakingDeps {
  clock: AgentClock;
  log: ServiceDeps['log'];
  activity: Activity;
  context: DeviceContext;
  measurer: Pick<Measurer, 'slept' | 'attribution'>;
  rounds: Rounds;
  uplink: Uplink;
}

/** What follows when the machine falls asleep and wakes up. */
export interface Waking {
  /**
   * Asked before each turn of measuring: where the machine slept since, what was measured before is forgotten and all is measured at
   * once. Whoever asks first hears of it, so that nothing is forgotten that was measured since.
   */
  noticeSleep(): void;
  /** What is measured while the machine falls asleep measures the sleep. */
  followPower(power: 'suspend' | 'resume'): void;
}

export function createWaking({ clock, log, activity, context, measurer, rounds, uplink }: WakingDeps): Waking {
  const slept = createSleepWatch(clock.steady);
  let wokeSteadyMs = Number.NEGATIVE_INFINITY;
  const measureAnew = (): void => {
    wokeSteadyMs = clock.steady();
    log('Woke up; measuring anew.');
    measurer.slept();
    context.noteResumed();
    void context.refresh();
    uplink.retryNow();
    // The verdict of before the sleep is taken back at once: "measuring" stands until there are readings.
    if (!activity.isHalted()) void measurer.attribution().catch(rounds.noteFailure);
    rounds.run(USUAL_DEPTH);
  };
  return {
    noticeSleep() {
      if (slept()) measureAnew();
    },
    followPower(power) {
      if (power === 'suspend') {
        activity.restart('the machine goes to sleep');
        return;
      }
      // A window and this process' own watch both tell of it: the later one would throw away what was measured since.
      const isNews = slept();
      if (isNews || clock.steady() - wokeSteadyMs >= SAME_WAKE_MS) measureAnew();
    },
  };
}
