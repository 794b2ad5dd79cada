import type { EvidenceFact } from '@svc/contracts/causes/facts';
import { type ConfidenceLevel, HYPOTHESIS_KINDS, type HypothesisKind } from '@svc/contracts/causes/root-cause';
import { draftChanges } from './from-changes.ts';
import { draftClients } from './from-clients.ts';
import { draftCertificates, draftDns } from './from-names.ts';
import { draftNetworks } from './from-network.ts';
import { draftCapacity, draftDependencies } from './from-services.ts';
import type { Draft, Situation } from './situation.ts';

/** A cause is named from this score on; below it the answer is "unknown". */
export const NAMED_FROM = 0.5;
/** Less likely ones are not listed. */
const LISTED_FROM = 0.1;
const MAX_LISTED = 8;
/** A second fault is told beside the first from this score on. */
const SECOND_FROM = 0.6;

export interface Ranked extends Draft {
  score: number;
}

export interface Ranking {
  /** Most probable first. */
  ranked: readonly Ranked[];
  confidence: number;
  level: ConfidenceLevel;
  computed: string;
  /** Another fault at the same time, with evidence of its own. */
  second: Ranked | undefined;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/**
 * What speaks for a cause adds up as chances do: each item leaves less of the doubt. What speaks against it takes its share away. The order
 * of the items makes no difference, and no number of weak ones becomes a certainty.
 */
export function scoreOf({ parts }: Pick<Draft, 'parts'>): number {
  let doubt = 1;
  let left = 1;
  for (const { effect, weight } of parts) {
    if (effect === 'for') doubt *= 1 - weight;
    else left *= 1 - weight;
  }
  return round((1 - doubt) * left);
}

const supportOf = (draft: Draft): Set<EvidenceFact> =>
  new Set(draft.parts.flatMap(({ fact, effect }) => (effect === 'for' ? [fact] : [])));

/** A cause that rests on nothing but evidence of the first is how that one works, and no rival. */
function isRival(first: Ranked, other: Ranked): boolean {
  const own = supportOf(first);
  return [...supportOf(other)].some((fact) => !own.has(fact));
}

/** What may be how a change hurts. A peak of requests is not: it comes from elsewhere. */
const WAYS_OF_CHANGES: readonly HypothesisKind[] = ['dependency', 'network', 'certificate', 'dns', 'client'];

/**
 * A change that is named, and behind which the best began that speaks for the first cause, goes before it: that one is how it hurts. Gives them
 * in their order, with the one that was moved behind.
 */
function putChangeFirst(scored: readonly Ranked[]): { ordered: readonly Ranked[]; way: Ranked | undefined } {
  const [best] = scored;
  if (!best || !WAYS_OF_CHANGES.includes(best.kind)) return { ordered: scored, way: undefined };
  const [strongest] = best.parts.filter(({ effect }) => effect === 'for').toSorted((a, b) => b.weight - a.weight);
  const change = scored.find(
    (one) => one.kind === 'change' && one.score >= NAMED_FROM && strongest !== undefined && supportOf(one).has(strongest.fact),
  );
  if (!change) return { ordered: scored, way: undefined };
  return { ordered: [change, ...scored.filter((one) => one !== change)], way: best };
}

/** What hurts in a way of its own; the others are rival explanations of a service that fails. */
const OWN_WAYS: readonly HypothesisKind[] = ['certificate', 'dns', 'network', 'client'];

const isApart = (first: Ranked, other: Ranked): boolean => {
  const own = supportOf(first);
  const inOwnWay = OWN_WAYS.includes(first.kind) || OWN_WAYS.includes(other.kind);
  return inOwnWay && other.kind !== first.kind && [...supportOf(other)].every((fact) => !own.has(fact));
};

/** When what was changed came; of other causes nothing. */
const changedAt = ({ kind, parts: [own] }: Ranked): number => (kind === 'change' ? (own?.fact.atMs ?? 0) : 0);

/** Of changes that explain it alike the later one: whatever was changed before it had worked until then. */
function byScore(a: Ranked, b: Ranked): number {
  const kind = HYPOTHESIS_KINDS.indexOf(a.kind) - HYPOTHESIS_KINDS.indexOf(b.kind);
  return b.score - a.score || kind || changedAt(b) - changedAt(a) || (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0);
}

const levelOf = (confidence: number): ConfidenceLevel => (confidence >= 0.7 ? 'high' : confidence >= 0.5 ? 'medium' : 'low');

function unknownOf(best: number): Ranked {
  return { kind: 'unknown', subject: '', clause: 'nothing that was measured explains it', parts: [], score: round(1 - best) };
}

/** All possible causes of what is seen, by a score that docs/causes.md explains. Pure: the same facts give the same answer. */
export function rankCauses(situation: Situation): Ranking {
  const drafts = [
    ...draftChanges(situation),
    ...draftDependencies(situation),
    ...draftNetworks(situation),
    ...draftCapacity(situation),
    ...draftCertificates(situation),
    ...draftDns(situation),
    ...draftClients(situation),
  ];
  const scored = drafts
    .map((draft): Ranked => ({ ...draft, score: scoreOf(draft) }))
    .filter(({ score }) => score >= LISTED_FROM)
    .sort(byScore)
    .slice(0, MAX_LISTED);
  const { ordered, way } = putChangeFirst(scored);
  const [best] = ordered;
  if (!best || best.score < NAMED_FROM) {
    const unknown = unknownOf(best?.score ?? 0);
    const computed = best
      ? `The best explanation scores ${best.score}, and one is named from ${NAMED_FROM} on`
      : 'No evidence speaks for any cause';
    return { ranked: [unknown, ...ordered], confidence: 0, level: 'none', computed, second: undefined };
  }
  const rest = ordered.slice(1);
  const second = rest.find((other) => other.score >= SECOND_FROM && isApart(best, other));
  const rival = rest.find((other) => other !== second && other !== way && isRival(best, other));
  const confidence = round(best.score * (1 - (0.5 * (rival?.score ?? 0)) / Math.max(best.score, rival?.score ?? 0)));
  const computed = rival
    ? `score ${best.score} x (1 - half of ${rival.score} / ${best.score}, the next explanation) = ${confidence}`
    : `score ${best.score}; no other explanation has evidence of its own`;
  return { ranked: ordered, confidence, level: levelOf(confidence), computed, second };
}
