import type { EvidenceFact, PlaneEvidence } from '@svc/contracts/causes/facts';
import { EVIDENCE_PLANES } from '@svc/contracts/causes/facts';
import type { EvidenceItem, Hypothesis, RootCause } from '@svc/contracts/causes/root-cause';
import { type Ranked, type Ranking, rankCauses } from './rank-causes.ts';
import type { DraftPart, Situation } from './situation.ts';
import { tellFact } from './tell-fact.ts';

/** What is shown at most of one explanation. */
const MAX_EVIDENCE = 60;
const MAX_PARTS = 12;

export type Explanation = Omit<RootCause, 'incident_id' | 'version' | 'made_at' | 'from' | 'to'>;

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
const KIND_FALLBACK = 'Nothing that was measured explains it.';

function strongest(draft: Ranked, effect: DraftPart['effect']): DraftPart | undefined {
  return draft.parts.filter((part) => part.effect === effect).toSorted((a, b) => b.weight - a.weight)[0];
}

/** Two sentences: the cause, and the best of what speaks for it. */
function explanationOf({ ranked, second }: Ranking): string {
  const [best, next] = ranked;
  if (!best || best.kind === 'unknown') {
    const but = next
      ? `The nearest is ${next.clause}, which scores ${next.score}.`
      : 'No plane saw anything unusual about the target.';
    return `${KIND_FALLBACK} ${but}`;
  }
  const reasons = best.parts.filter(({ effect }) => effect === 'for').toSorted((a, b) => b.weight - a.weight);
  const reason = reasons.find(({ fact }) => fact.kind !== 'change') ?? reasons[0];
  const said = reason ? `${tellFact(reason.fact).sentence.replace(/\.$/, '')}: ${reason.why}.` : '';
  if (second) return `Probably two causes at once: ${best.clause}; and ${second.clause}. ${said}`.trim();
  return `Most likely ${best.clause}. ${said}`.trim();
}

const sentenceOf = (draft: Ranked): string => {
  const against = strongest(draft, 'against');
  return `${upper(draft.clause)}${against ? `; against it: ${against.why}` : ''}.`;
};

/** Facts in the order in which they are cited: those of the first cause first. */
function orderFacts(facts: readonly EvidenceFact[], ranked: readonly Ranked[]): EvidenceFact[] {
  const cited = ranked.flatMap(({ parts }) => parts.map(({ fact }) => fact));
  const rest = facts.toSorted((a, b) => a.atMs - b.atMs || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0));
  return [...new Set([...cited, ...rest])].slice(0, MAX_EVIDENCE);
}

/** The explanation of an incident out of what the planes know. Pure: the same evidence gives the same words. */
export function explain(situation: Omit<Situation, 'facts'>, planes: readonly PlaneEvidence[]): Explanation {
  const facts = planes.flatMap((plane) => plane.facts);
  const ranking = rankCauses({ ...situation, facts });
  const ordered = orderFacts(facts, ranking.ranked);
  const idOf = new Map(ordered.map((fact, place) => [fact, `E${place + 1}`]));
  const evidence = ordered.map((fact): EvidenceItem => {
    return { id: idOf.get(fact) ?? '', at: new Date(fact.atMs).toISOString(), ...tellFact(fact) };
  });
  const hypotheses = ranking.ranked.map((draft): Hypothesis => {
    const parts = draft.parts.slice(0, MAX_PARTS).flatMap(({ fact, effect, weight, why }) => {
      const id = idOf.get(fact);
      return id === undefined ? [] : [{ evidence: id, effect, weight, why }];
    });
    return { kind: draft.kind, subject: draft.subject, sentence: sentenceOf(draft), score: draft.score, parts };
  });
  const silent = EVIDENCE_PLANES.filter((name) => !planes.some(({ plane }) => plane === name));
  return {
    explanation: explanationOf(ranking),
    confidence: ranking.confidence,
    level: ranking.level,
    computed: ranking.computed,
    hypotheses,
    evidence,
    not_measured: [
      ...planes.flatMap(({ plane, notMeasured }) => notMeasured.map((sentence) => ({ plane, sentence }))),
      ...silent.map((plane) => ({ plane, sentence: 'This part of the product was not asked.' })),
    ],
  };
}
