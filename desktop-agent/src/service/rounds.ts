import { messageOf } from '../agent-error.ts';
import { isHalt } from '../measure/activity.ts';
import type { Depth } from '../measure/measurer.ts';
import type { Running } from './running.ts';

export function noteFailure(r: Running, error: unknown): void {
  if (!r.stopped && !isHalt(error)) r.deps.log(`A measurement failed: ${messageOf(error)}`);
}

/** One full round after the other, as far as measuring is allowed when its turn comes. */
export function runNow(r: Running, depth: Depth): void {
  r.rounds = r.rounds
    .then(async () => {
      if (r.activity.isHalted()) return;
      await r.measurer.all(depth);
      r.link?.wake('now');
    })
    .catch((error) => noteFailure(r, error));
}
