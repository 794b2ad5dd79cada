import type { Outcome } from './run-situation.ts';
import type { Expected, Situation } from './situations/situation.ts';

/** A wrong verdict may be given, but not surely. */
export const SURE_ABOVE = 0.7;

export interface Scored extends Outcome {
  readonly rightCause: boolean;
  readonly rightKind: boolean;
  /** Told whoever can act on it; true where nobody needs to. */
  readonly rightActor: boolean;
  readonly confidenceInRange: boolean;
  /** What a person reads as "healthy": no cause, no fault, and nothing missing. */
  readonly saysHealthy: boolean;
}

export interface Score {
  readonly scored: readonly Scored[];
  readonly causeShare: number;
  readonly kindShare: number;
  /** Mean square of confidence minus outcome: 0 is perfect, 0.25 is a coin's. */
  readonly brier: number;
  /** Wrong, and said with more than SURE_ABOVE. */
  readonly surelyWrong: readonly Scored[];
  /** "Healthy" where something hurts, is off or was not measured. */
  readonly falselyHealthy: readonly Scored[];
}

const oneOf = <T>(expected: T | readonly T[], value: T): boolean =>
  Array.isArray(expected) ? expected.includes(value) : expected === value;

export function expectedWords({ cause, kind, also, actor }: Expected): string {
  const either = (some: readonly (string | null)[]): string => some.map((one) => one ?? 'no fault').join(' or ');
  return [either([cause].flat()), either([kind].flat()), ...(also ? [`and ${also}`] : []), ...(actor ? [actor] : [])].join(' · ');
}

function scoreOne(outcome: Outcome): Scored {
  const { observed, situation } = outcome;
  const { expected } = situation;
  // "Not measured yet" blames nobody and calls nothing healthy.
  const cause = observed?.cause ?? 'none';
  const kind = observed?.kind ?? null;
  const confidence = observed?.confidence ?? 0;
  const rightCause = observed !== undefined && oneOf<string>(expected.cause, cause);
  const namesSecond = expected.also === undefined || observed?.also === expected.also;
  const rightKind = rightCause && oneOf<string | null>(expected.kind, kind) && namesSecond;
  return {
    ...outcome,
    rightCause,
    rightKind,
    confidenceInRange: confidence >= expected.confidence[0] && confidence <= expected.confidence[1],
    rightActor: rightKind && (expected.actor === undefined || observed?.actor === expected.actor),
    saysHealthy: observed?.cause === 'none' && kind === null && observed.isCovered,
  };
}

export function score(outcomes: readonly Outcome[]): Score {
  const scored = outcomes.map(scoreOne);
  const share = (is: (one: Scored) => boolean): number => scored.filter(is).length / Math.max(1, scored.length);
  const confidenceOf = (one: Scored): number => one.observed?.confidence ?? 0;
  const judged = scored.filter((one) => one.observed && one.observed.confidence !== null);
  const squares = judged.map((one) => (confidenceOf(one) - Number(one.rightCause)) ** 2);
  return {
    scored,
    causeShare: share((one) => one.rightCause),
    kindShare: share((one) => one.rightKind),
    brier: squares.reduce((sum, one) => sum + one, 0) / Math.max(1, squares.length),
    surelyWrong: scored.filter((one) => !one.rightKind && confidenceOf(one) > SURE_ABOVE),
    falselyHealthy: scored.filter((one) => one.saysHealthy && !mayBeHealthy(one.situation)),
  };
}

const mayBeHealthy = ({ hurts, partial, expected }: Situation): boolean =>
  !hurts && !partial && oneOf<string | null>(expected.kind, null);

/** What the product promises of the whole corpus (docs/verdicts.md). */
const LEAST_CAUSE_SHARE = 0.95;
const LEAST_KIND_SHARE = 0.9;

/** Each promise that a run of the whole corpus broke, in words. */
export function brokenPromises({ causeShare, kindShare, surelyWrong, falselyHealthy }: Score): string[] {
  const names = (some: readonly Scored[]): string => some.map((one) => one.situation.name).join(', ');
  return [
    ...(causeShare < LEAST_CAUSE_SHARE ? [`the right cause in ${causeShare.toFixed(3)} of ${LEAST_CAUSE_SHARE}`] : []),
    ...(kindShare < LEAST_KIND_SHARE ? [`the right fault in ${kindShare.toFixed(3)} of ${LEAST_KIND_SHARE}`] : []),
    ...(surelyWrong.length > 0 ? [`wrong above ${SURE_ABOVE}: ${names(surelyWrong)}`] : []),
    ...(falselyHealthy.length > 0 ? [`"healthy" though it is not: ${names(falselyHealthy)}`] : []),
  ];
}
