import type { Hypothesis, HypothesisKind } from '@svc/contracts/causes/root-cause';
import type { TrueCause } from '@svc/simulator/causes/scenario';
import type { Outcome } from './play-corpus.ts';

/** How right the panel is: its first cause against the true one. Pure. */

export type Verdict = 'right' | 'wrong' | 'not_told' | 'no_incident';

export interface Scored {
  outcome: Outcome;
  verdict: Verdict;
  /** A change that caused nothing is told first. */
  isWrongChange: boolean;
  first: Hypothesis | undefined;
  /** Of all true causes, those that are among the first two. */
  toldInTwo: number;
}

export interface Score {
  scored: readonly Scored[];
  /** Of those with a recorded change or layer: the true cause first. */
  toldShare: number;
  told: number;
  /** Of those without: "unknown", and no change. */
  unknownShare: number;
  untold: number;
  wrongChanges: number;
}

export const PROMISED = 0.9;

export const labelOf = ({ labels }: Pick<Outcome, 'labels'>, { kind, subject }: Pick<Hypothesis, 'kind' | 'subject'>): string =>
  kind === 'change' ? (labels.get(subject) ?? subject) : subject;

function isCause(outcome: Pick<Outcome, 'labels'>, told: Pick<Hypothesis, 'kind' | 'subject'>, cause: TrueCause): boolean {
  if (told.kind !== cause.kind) return false;
  if (cause.kind === 'change') return labelOf(outcome, told) === cause.label;
  return cause.subject === undefined || told.subject === cause.subject;
}

export function scoreOne(outcome: Outcome): Scored {
  const { answer, scenario } = outcome;
  const [first, second] = answer?.hypotheses ?? [];
  const two = [first, second].filter((one) => one !== undefined);
  const toldInTwo = scenario.causes.filter((cause) => two.some((told) => isCause(outcome, told, cause))).length;
  const isRight =
    first !== undefined &&
    (scenario.causes.length === 0 ? first.kind === 'unknown' : scenario.causes.some((cause) => isCause(outcome, first, cause)));
  const isWrongChange = first?.kind === 'change' && !isRight;
  const verdict = answer === undefined ? 'no_incident' : isRight ? 'right' : first?.kind === 'unknown' ? 'not_told' : 'wrong';
  return { outcome, verdict, isWrongChange, first, toldInTwo };
}

const share = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole);

export function score(outcomes: readonly Outcome[]): Score {
  const scored = outcomes.map(scoreOne);
  const told = scored.filter(({ outcome }) => outcome.scenario.causes.length > 0);
  const untold = scored.filter(({ outcome }) => outcome.scenario.causes.length === 0);
  const right = (of: readonly Scored[]): number => of.filter(({ verdict }) => verdict === 'right').length;
  return {
    scored,
    ...{ told: told.length, toldShare: share(right(told), told.length) },
    ...{ untold: untold.length, unknownShare: share(right(untold), untold.length) },
    wrongChanges: scored.filter(({ isWrongChange }) => isWrongChange).length,
  };
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;

/** What a run of all scenarios promised and did not keep, in words. */
export const brokenPromises = ({ toldShare, unknownShare }: Score): string[] => [
  ...(toldShare < PROMISED ? [`the true cause is first in ${percent(toldShare)}, not in ${percent(PROMISED)}`] : []),
  ...(unknownShare < PROMISED
    ? [`"unknown" is said in ${percent(unknownShare)} of those without a cause, not in ${percent(PROMISED)}`]
    : []),
];

/** True kind, as the rows of the matrix are called. */
export const truthOf = ({ outcome }: Scored): HypothesisKind => outcome.scenario.causes[0]?.kind ?? 'unknown';
