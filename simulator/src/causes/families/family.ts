import type { RunFault } from '@svc/contracts/tests/run-report';
import type { Random } from '../../domain/random.ts';
import { decoys } from '../plan-changes.ts';
import { type Planned, planEstate, type Wanted } from '../plan-estate.ts';
import type { Fault, PlannedChange, Scenario, TrueCause } from '../scenario.ts';

export interface Roll {
  random: Random;
  /** Which one of the family it is, from 0. */
  place: number;
  seed: number;
}

/** What a family says of one scenario; the rest follows from the roll. */
export interface Told {
  truth: string;
  causes: readonly TrueCause[];
  asks: Scenario['asks'];
  about?: string;
  faults: readonly Fault[];
  /** Beside the decoys. */
  changes?: readonly PlannedChange[];
  /** Decoys beside those that each scenario has. */
  crowd?: number;
}

export interface Family {
  name: string;
  /** How many of it the corpus has. */
  count: number;
  wants: (place: number) => Wanted;
  tell: (planned: Planned, roll: Roll) => Told;
}

/** One scenario of a family. The same seed gives the same scenario. */
export function makeScenario({ name, wants, tell }: Family, roll: Roll): Scenario {
  const planned = planEstate(roll.random, wants(roll.place));
  const { changes = [], crowd = 0, ...told } = tell(planned, roll);
  return {
    ...told,
    ...{ name: `${name}-${roll.place + 1}`, family: name, estate: planned.estate, seed: roll.seed },
    changes: [...changes, ...decoys(roll.random, planned, crowd)],
  };
}

/** One of a list by the place in the family, so that each variant is there. */
export const variant = <T>({ place }: Pick<Roll, 'place'>, list: readonly [T, ...T[]]): T => list[place % list.length] as T;

/** How a run ends that does not get as far as the host. */
export interface End {
  fault: RunFault;
  error: string;
}
