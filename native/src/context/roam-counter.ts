import type { UnavailableCode } from '@svc/contracts/verdict';
import { measured, type Reading, unavailable } from '../reading.ts';

/** The present association as two digests under a key that only this process has: they tell "same" from "other", nothing else. */
export interface Association {
  readonly network: string;
  readonly cell: string;
}

/** Counts changes of the cell within one network. What lies between two looks is not seen. */
export function createRoamCounter(): (now: Association | UnavailableCode) => Reading<number> {
  let last: Association | undefined;
  let roams = 0;
  return (now) => {
    if (typeof now === 'string') {
      // Out of range or off in between: the next association is a new one.
      last = undefined;
      return unavailable(now);
    }
    if (last && last.network === now.network && last.cell !== now.cell) roams += 1;
    last = now;
    return measured(roams);
  };
}
