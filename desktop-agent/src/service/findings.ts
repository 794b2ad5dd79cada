import type { MissingPermission } from '@svc/contracts/verdict';
import type { AgentClock } from '../clock.ts';
import { createObserved, type Observed } from '../history/observed.ts';
import type { Judged } from '../measure/attribution-result.ts';
import type { AgentCost } from '../measure/results.ts';

/** A verdict and when it was found, by both clocks. */
export interface PresentVerdict {
  judged: Judged;
  atMs: number;
  steadyMs: number;
}

/** What this service knows of the device now; lost when it ends. */
export interface Findings {
  readonly observed: Observed;
  verdict(): PresentVerdict | undefined;
  noteVerdict(judged: Judged): void;
  cost(): AgentCost | undefined;
  noteCost(cost: AgentCost): void;
  /** What the system refuses to tell without a permission. */
  missing(): ReadonlySet<MissingPermission>;
  /** True where these are others than before. */
  noteMissing(missing: ReadonlySet<MissingPermission>): boolean;
}

export function createFindings(clock: AgentClock): Findings {
  let verdict: PresentVerdict | undefined;
  let cost: AgentCost | undefined;
  let missing: ReadonlySet<MissingPermission> = new Set();
  return {
    observed: createObserved(),
    verdict: () => verdict,
    noteVerdict(judged) {
      verdict = { judged, atMs: clock.now(), steadyMs: clock.steady() };
    },
    cost: () => cost,
    noteCost(now) {
      cost = now;
    },
    missing: () => missing,
    noteMissing(now) {
      if ([...now].join() === [...missing].join()) return false;
      missing = now;
      return true;
    },
  };
}
