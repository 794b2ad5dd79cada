import type { IncidentState } from '@svc/contracts/incidents/incident';
import { type Anchor, findMatch } from '#kernel';

export const WINDOW_MS = 60 * 60_000;

/** An incident that a signal may belong to. */
export interface Candidate {
  id: string;
  number: number;
  status: IncidentState;
  startedMs: number;
  lastSeenMs: number;
  resolvedMs: number | null;
  /** Signals that have not recovered: as long as there is one, the event goes on. */
  openSignals: number;
  anchors: readonly Anchor[];
}

export interface Arriving {
  anchors: readonly Anchor[];
  occurredMs: number;
  /** Until when it was seen to fail; absent: when it occurred. A test of each hour counts as failing hours after its first failing run. */
  seenMs?: number;
  /** The incident of the same failing before this one. */
  formerIncident: string | undefined;
  /** Those that a person took this failing out of. */
  takenOutOf: ReadonlySet<string>;
}

export interface Place {
  incident: Candidate;
  why: string;
  /** It was resolved and goes on. */
  reopens: boolean;
}

export interface Correlation {
  place: Place | undefined;
  /** Open incidents that it would have fitted too. */
  alsoFits: { incident: Candidate; why: string }[];
}

const FAILING_AGAIN = 'the same failing again';

function isInTime(candidate: Candidate, { occurredMs, seenMs = occurredMs }: Arriving): boolean {
  if (Math.max(occurredMs, seenMs) < candidate.startedMs - WINDOW_MS) return false;
  if (candidate.status === 'resolved') return occurredMs <= (candidate.resolvedMs ?? 0) + WINDOW_MS;
  return candidate.openSignals > 0 || occurredMs <= candidate.lastSeenMs + WINDOW_MS;
}

interface Fit {
  incident: Candidate;
  why: string;
  isExact: boolean;
}

function fitOf(signal: Arriving, incident: Candidate): Fit | undefined {
  if (signal.takenOutOf.has(incident.id) || !isInTime(incident, signal)) return undefined;
  const isAgain = signal.formerIncident === incident.id;
  const match = isAgain ? { isExact: true, why: FAILING_AGAIN } : findMatch(signal.anchors, incident.anchors);
  // What is over is taken up again for the same thing only: another one in the same network is another event.
  if (!match || (incident.status === 'resolved' && !match.isExact)) return undefined;
  return { incident, ...match };
}

/** Open before resolved, the same target before what is only near, then the oldest; of resolved ones the newest. */
function compareFits(a: Fit, b: Fit): number {
  const isOver = ({ incident }: Fit): number => Number(incident.status === 'resolved');
  const age = a.incident.number - b.incident.number;
  return isOver(a) - isOver(b) || Number(b.isExact) - Number(a.isExact) || (isOver(a) ? -age : age);
}

/** Where a signal belongs; undefined place: it opens an incident. Pure: the same input gives the same answer. */
export function correlate(signal: Arriving, candidates: readonly Candidate[]): Correlation {
  const fits = candidates.flatMap((incident) => fitOf(signal, incident) ?? []).sort(compareFits);
  const [first, ...others] = fits;
  if (!first) return { place: undefined, alsoFits: [] };
  const { incident, why } = first;
  return {
    place: { incident, why, reopens: incident.status === 'resolved' },
    alsoFits: others.filter((one) => one.incident.status !== 'resolved').map((one) => ({ incident: one.incident, why: one.why })),
  };
}
