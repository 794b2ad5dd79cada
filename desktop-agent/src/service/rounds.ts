import { messageOf } from '../agent-error.ts';
import { type Activity, isHalt } from '../measure/activity.ts';
import type { Depth, Measurer } from '../measure/measurer.ts';
import type { ServiceDeps } from './deps.ts';
import type { Uplink } from './uplink.ts';

export interface RoundsDeps {
  log: ServiceDeps['log'];
  activity: Activity;
  measurer: Pick<Measurer, 'all'>;
  uplink: Pick<Uplink, 'wake'>;
}

/** Full rounds of measuring, one after the other. */
export interface Rounds {
  /** Queues one; it runs as far as measuring is allowed when its turn comes. */
  run(depth: Depth): void;
  /** Logs why a measurement failed, unless measuring was halted or the service ends. */
  noteFailure(error: unknown): void;
  isStopped(): boolean;
  /** Resolves when the present round is over. */
  stop(): Promise<void>;
}

export function createRounds({ log, activity, measurer, uplink }: RoundsDeps): Rounds {
  let queue: Promise<void> = Promise.resolve();
  let stopped = false;
  const noteFailure = (error: unknown): void => {
    if (!stopped && !isHalt(error)) log(`A measurement failed: ${messageOf(error)}`);
  };
  return {
    run(depth) {
      queue = queue
        .then(async () => {
          if (activity.isHalted()) return;
          await measurer.all(depth);
          uplink.wake('now');
        })
        .catch(noteFailure);
    },
    noteFailure,
    isStopped: () => stopped,
    async stop() {
      stopped = true;
      activity.halt('stopping');
      await queue;
    },
  };
}
