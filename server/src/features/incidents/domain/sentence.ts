import type { IncidentState } from '@svc/contracts/incidents/incident';
import { type Plane, SEVERITIES, type Severity } from '@svc/contracts/incidents/signal';

interface ToldSignal {
  plane: Plane;
  severity: Severity;
  title: string;
  /** Why it fails, as the rest of a sentence; not all say it. */
  cause?: string | undefined;
  site: string | null;
  occurred_at: Date;
  recovered_at: Date | null;
}

export interface ToldIncident {
  status: IncidentState;
  title: string;
  /** By nobody; by a person; or where somebody did it elsewhere, as people call that place. */
  resolvedBy: 'system' | 'person' | { place: string };
}

/** Ids of those who acted where an incident was told of: of a connector, or of a provider that is none of this server's. */
const ELSEWHERE = /^(connector|provider)\//;

/** Who resolved it, as the sentence tells it. */
export function resolverOf(actor: { id: string; name: string } | null): ToldIncident['resolvedBy'] {
  if (actor?.id === 'system') return 'system';
  return actor && ELSEWHERE.test(actor.id) ? { place: actor.name } : 'person';
}

const withoutDot = (text: string): string => text.replace(/[.\s]+$/, '');
const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** The gravest of those that fail, of the equally grave ones the first. */
function pickWorst(signals: readonly ToldSignal[]): ToldSignal | undefined {
  return signals.toSorted(
    (a, b) =>
      SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity) || a.occurred_at.getTime() - b.occurred_at.getTime(),
  )[0];
}

/** How an open one ends is told by the minutes beside the sentence. */
function tellEnd({ resolvedBy, status }: ToldIncident): string {
  if (status !== 'resolved') return ' Nothing fails any more.';
  if (resolvedBy === 'system') return ' It resolved automatically, since nothing failed any more.';
  return resolvedBy === 'person' ? ' It was resolved by a person.' : ` It was resolved in ${resolvedBy.place}.`;
}

/** What hurts and where, and how much of it still does. Since when is a time of its own, which the reader's clock tells. */
export function tellIncident(incident: ToldIncident, signals: readonly ToldSignal[]): string {
  const failing = signals.filter(({ recovered_at: end }) => end === null);
  const told = pickWorst(failing.length > 0 ? failing : signals);
  const title = withoutDot(told?.title ?? incident.title);
  const where = told?.site && !title.includes(told.site) ? ` (${told.site})` : '';
  const planes = new Set(signals.map(({ plane }) => plane)).size;
  const from = planes > 1 ? ` from ${count(planes, 'plane')}` : '';
  const others = signals.length > 1 ? ` ${count(signals.length, 'signal')}${from}` : '';
  const recovered = signals.length - failing.length;
  const still = others === '' ? '' : recovered > 0 && failing.length > 0 ? `${others}, ${recovered} recovered.` : `${others}.`;
  const end = incident.status === 'resolved' || failing.length === 0 ? tellEnd(incident) : '';
  // What is over is told by that it is.
  const why = end === '' && told?.cause ? `: ${withoutDot(told.cause)}` : '';
  return `${title}${where}${why}.${still}${end}`;
}

/**
 * Why an incident fails, as a sentence below its title; empty where its signal does not say. Where it was another signal that says it, with
 * that one's title.
 */
export function tellCause(title: string, signal: { title: string; cause: string } | null): string {
  const cause = withoutDot(signal?.cause ?? '');
  if (!signal || cause === '') return '';
  return signal.title === title ? `${cause.charAt(0).toUpperCase()}${cause.slice(1)}.` : `${withoutDot(signal.title)}: ${cause}.`;
}
