import type { EvidenceFact, ServiceFact } from '@svc/contracts/causes/facts';
import type { HypothesisKind } from '@svc/contracts/causes/root-cause';
import type { SignalKind } from '@svc/contracts/incidents/kinds';

/** What the rules of a cause look at, and what they say; see docs/causes.md. */

export type FactOf<Kind extends EvidenceFact['kind']> = Extract<EvidenceFact, { kind: Kind }>;

export interface Situation {
  target: string | null;
  site: string | null;
  /** When the harm began. */
  sinceMs: number;
  toMs: number;
  /** Of the incident's signals. */
  signalKinds: readonly SignalKind[];
  facts: readonly EvidenceFact[];
}

export interface DraftPart {
  fact: EvidenceFact;
  effect: 'for' | 'against';
  weight: number;
  why: string;
}

/** A possible cause with all that speaks for it and against it. */
export interface Draft {
  kind: HypothesisKind;
  subject: string;
  /** A clause that goes on after "Most likely". */
  clause: string;
  parts: readonly DraftPart[];
}

export const factsOf = <Kind extends EvidenceFact['kind']>(
  { facts }: Pick<Situation, 'facts'>,
  kind: Kind,
): readonly FactOf<Kind>[] => facts.filter((fact): fact is FactOf<Kind> => fact.kind === kind);

export const speaksFor = (fact: EvidenceFact, weight: number, why: string): DraftPart => ({ fact, effect: 'for', weight, why });
export const speaksAgainst = (fact: EvidenceFact, weight: number, why: string): DraftPart => ({
  ...{ fact, effect: 'against', weight, why },
});

const MINUTE_MS = 60_000;
export const minutes = (ms: number): number => Math.round(ms / MINUTE_MS);

/** Durations in the largest unit that does not hide anything: 45 seconds, 11 minutes, 3 hours. */
export function durationWords(ms: number): string {
  const absolute = Math.abs(ms);
  const say = (value: number, unit: string): string => `${value} ${unit}${value === 1 ? '' : 's'}`;
  if (absolute < MINUTE_MS) return say(Math.round(absolute / 1000), 'second');
  if (absolute < 120 * MINUTE_MS) return say(minutes(absolute), 'minute');
  if (absolute < 2880 * MINUTE_MS) return say(Math.round(absolute / 3_600_000), 'hour');
  return say(Math.round(absolute / 86_400_000), 'day');
}

export const millisecondWords = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

export const percentWords = (ratio: number): string =>
  `${ratio < 0.1 ? Math.round(ratio * 1000) / 10 : Math.round(ratio * 100)} %`;

/** Names one after the other: "a, b and c", at most four. */
export function listWords(names: readonly string[]): string {
  const shown = names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}

/** Fewer calls in the window say nothing. */
const MIN_CALLS = 10;
const MIN_ERROR_RATIO = 0.05;
const SLOWER = 2;
const SLOWER_BY_MS = 20;

export interface Grown {
  errors: boolean;
  /** How many times slower; 1: as usual. */
  slower: number;
  isBad: boolean;
}

type Measured = Pick<ServiceFact, 'calls' | 'errors' | 'p95Ms' | 'usualErrorRatio' | 'usualP95Ms'>;

/** Calls against their own usual. */
export function grownOf({ calls, errors, p95Ms, usualErrorRatio, usualP95Ms }: Measured): Grown {
  const ratio = calls === 0 ? 0 : errors / calls;
  const failing = calls >= MIN_CALLS && ratio >= MIN_ERROR_RATIO && ratio >= 2 * usualErrorRatio;
  const isSlower =
    calls >= MIN_CALLS &&
    p95Ms !== null &&
    usualP95Ms !== null &&
    p95Ms >= SLOWER * usualP95Ms &&
    p95Ms - usualP95Ms >= SLOWER_BY_MS;
  const slower = isSlower && usualP95Ms !== null && p95Ms !== null ? p95Ms / Math.max(usualP95Ms, 1) : 1;
  return { errors: failing, slower, isBad: failing || isSlower };
}

/** Calls of the time before are known: without any nobody can say that it is as before, or that it was not. */
export const hasUsual = ({ usualCallsPerMinute }: Pick<ServiceFact, 'usualCallsPerMinute'>): boolean => usualCallsPerMinute > 0;

/** How many times more a service is asked for; 1: as usual, or nothing is usual yet. */
export const loadOf = ({
  callsPerMinute,
  usualCallsPerMinute,
}: Pick<ServiceFact, 'callsPerMinute' | 'usualCallsPerMinute'>): number =>
  usualCallsPerMinute < 1 ? 1 : callsPerMinute / usualCallsPerMinute;
