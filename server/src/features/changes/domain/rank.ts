import { GRACE_MS } from '@svc/contracts/changes/bounds';
import { type ChangePlace, createTopology, type IncidentPlace, isTargeted, type Topology } from './topology.ts';

const TOPOLOGY_WEIGHT = 0.6;
const RECENCY_WEIGHT = 0.4;

export interface RankedIncident {
  startedMs: number;
  place: IncidentPlace;
}

export interface RankedChange extends ChangePlace {
  number: number;
  occurredMs: number;
}

export interface Ranked<C extends RankedChange> {
  change: C;
  score: number;
  topology: Topology;
  recency: number;
  /** Negative: after the start of the incident. */
  beforeMs: number;
}

export interface Ranking<C extends RankedChange> {
  ranked: Ranked<C>[];
  elsewhere: number;
  untargeted: number;
  outOfTime: number;
}

const UNTARGETED: Topology = { kind: 'untargeted', score: 0, why: 'the incident has no target' };

/** 1 at the start of the incident and in the minutes of grace behind it; 0 one window earlier. */
const recencyOf = (beforeMs: number, windowMs: number): number => Math.min(1, 1 - beforeMs / windowMs);

/** From when to when a change may have caused an incident, both included. */
export const windowOf = (startedMs: number, windowMs: number) => ({ fromMs: startedMs - windowMs, toMs: startedMs + GRACE_MS });

/** The best first; of equal ones the later, then that with the greater number. */
const compare = <C extends RankedChange>(a: Ranked<C>, b: Ranked<C>): number =>
  b.score - a.score || b.change.occurredMs - a.change.occurredMs || b.change.number - a.change.number;

/**
 * Which changes may have caused an incident (docs/contract/changes.md, "Score"). Of an incident without target and prefix every change in
 * the window is a candidate, by its time alone. Pure: the same input gives the same order.
 */
export function rank<C extends RankedChange>(incident: RankedIncident, changes: readonly C[], windowMs: number): Ranking<C> {
  const targeted = isTargeted(incident.place);
  const topologyOf = createTopology(incident.place);
  const { fromMs, toMs } = windowOf(incident.startedMs, windowMs);
  const ranking: Ranking<C> = { ranked: [], elsewhere: 0, untargeted: 0, outOfTime: 0 };
  for (const change of changes) {
    if (change.occurredMs < fromMs || change.occurredMs > toMs) {
      ranking.outOfTime += 1;
      continue;
    }
    const topology = targeted ? topologyOf(change) : UNTARGETED;
    if (!topology) {
      if (change.anchor === null && change.prefix === null) ranking.untargeted += 1;
      else ranking.elsewhere += 1;
      continue;
    }
    const beforeMs = incident.startedMs - change.occurredMs;
    const recency = recencyOf(beforeMs, windowMs);
    const score = topology.score * TOPOLOGY_WEIGHT + recency * RECENCY_WEIGHT;
    ranking.ranked.push({ change, score, topology, recency, beforeMs });
  }
  ranking.ranked.sort(compare);
  return ranking;
}

const SCORE_WORDS: Readonly<Record<Topology['kind'], string>> = {
  same_target: 'exact target',
  inside_prefix: 'address inside the prefix',
  overlapping_prefixes: 'overlapping prefixes',
  untargeted: 'no target',
};

const several = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

function spanWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return several(seconds, 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return several(minutes, 'minute');
  return `${Math.round(minutes / 6) / 10} hours`;
}

const whenWords = (beforeMs: number): string =>
  Math.abs(beforeMs) < 500 ? 'at its start' : `${spanWords(Math.abs(beforeMs))} ${beforeMs > 0 ? 'before' : 'after its start'}`;

/** The score taken apart: `exact target 1.0 x 0.6 + 11 minutes before x 0.4 = 0.997`. */
export const tellScore = ({ topology, beforeMs, score }: Pick<Ranked<RankedChange>, 'topology' | 'beforeMs' | 'score'>): string =>
  `${SCORE_WORDS[topology.kind]} ${topology.score.toFixed(1)} x ${TOPOLOGY_WEIGHT} + ${whenWords(beforeMs)} x ${RECENCY_WEIGHT} = ${score.toFixed(3)}`;
