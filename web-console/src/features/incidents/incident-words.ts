import type { Incident, IncidentEntry, IncidentState } from '@svc/contracts/incidents/incident';
import type { Plane, Severity, Signal } from '@svc/contracts/incidents/signal';
import type { IconName } from '../../ui/controls/icons.tsx';
import { formatDuration, joinWords, plural } from '../../ui/words/format.ts';

export const SEVERITY_NAMES: Readonly<Record<Severity, string>> = { critical: 'Critical', warning: 'Warning', info: 'Info' };
export const STATE_NAMES: Readonly<Record<IncidentState, string>> = {
  open: 'Open',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
};
export const PLANE_NAMES: Readonly<Record<Plane, string>> = {
  tests: 'Tests',
  endpoint: 'Devices',
  otlp: 'Services',
  rum: 'Real users',
};
export const PLANE_ICONS: Readonly<Record<Plane, IconName>> = {
  tests: 'clock',
  endpoint: 'laptop',
  otlp: 'hops',
  rum: 'people',
};

export const ENTRY_ICONS: Readonly<Record<IncidentEntry['kind'], IconName>> = {
  opened: 'warning',
  signal_joined: 'link',
  signal_recovered: 'check',
  signal_removed: 'cross',
  acknowledged: 'check',
  assigned: 'person',
  severity_set: 'warning',
  commented: 'lines',
  merged: 'link',
  resolved: 'check',
  reopened: 'update',
};

export const personName = (actor: Incident['resolved_by']): string =>
  actor === null ? 'nobody' : actor.id === 'system' ? 'the system' : actor.name;

/** Somebody acted where the incident was told of: the name is that of the place. */
const isElsewhere = (actor: Incident['resolved_by']): boolean => /^(connector|provider)\//.test(actor?.id ?? '');

/** `by Mara`, `by the system`, `in ServiceNow (Service desk)`. */
export const byWhom = (actor: Incident['resolved_by']): string => `${isElsewhere(actor) ? 'in' : 'by'} ${personName(actor)}`;

/** The first sentence of the list, which may show others than the open ones. */
export function describeOpen(open: number, items: readonly Incident[]): string {
  if (open === 0) return 'No incident is open.';
  const shown = items.filter(({ status }) => status !== 'resolved');
  const [first] = shown;
  const count = open === 1 ? 'One incident is open' : `${open} incidents are open`;
  const isTaken = shown.length >= open && shown.every(({ status }) => status === 'acknowledged');
  const taken = !isTaken ? '' : open === 1 ? ', and acknowledged' : ', all acknowledged';
  if (!first) return `${count}${taken}.`;
  // A title ends with where it fails from: "and others" would name more of those.
  const more = open > 1 ? `, and ${plural(open - 1, 'more incident')}.` : '.';
  return `${count}${taken}: ${first.title.replace(/[.!]$/, '')}${more}`;
}

/** One line of what happened; the actor stands before it. */
export function describeEntry(entry: IncidentEntry, signal: Signal | undefined): string {
  const { kind, detail } = entry;
  if (isElsewhere(entry.actor) && (kind === 'acknowledged' || kind === 'resolved'))
    return `passed on that it was ${kind} there${detail ? ` ${detail}` : ''}`;
  if (kind === 'opened') return signal ? `opened this: ${signal.title}` : 'opened this';
  if (kind === 'signal_joined') return `${signal?.title ?? 'A signal'}${detail ? `. Joined by ${detail}` : ''}`;
  if (kind === 'signal_recovered') return `recovered: ${signal?.title ?? detail}`;
  if (kind === 'signal_removed') return `took a signal out: ${signal?.title ?? detail}`;
  if (kind === 'acknowledged') return 'acknowledged';
  if (kind === 'assigned') return detail ? `gave it to ${detail}` : 'gave it to nobody';
  if (kind === 'severity_set') return detail ? `set the severity to ${detail}` : 'left the severity to the signals';
  if (kind === 'commented') return `wrote: ${detail}`;
  if (kind === 'merged') return detail;
  if (kind === 'resolved') return detail ? `resolved: ${detail}` : 'resolved';
  return detail ? `reopened: ${detail}` : 'reopened';
}

/** Which part of "In order" an entry belongs to. */
export const partOf = ({ kind }: IncidentEntry): 'signals' | 'people' =>
  kind === 'opened' || kind === 'signal_joined' || kind === 'signal_recovered' ? 'signals' : 'people';

/** `5 signals from 3 planes`. */
export const signalWords = ({ signal_count, planes }: Pick<Incident, 'signal_count' | 'planes'>): string =>
  planes.length > 1
    ? `${plural(signal_count, 'signal')} from ${planes.length} planes`
    : `${plural(signal_count, 'signal')}${planes[0] ? ` from ${PLANE_NAMES[planes[0]].toLowerCase()}` : ''}`;

/** What will happen by itself, or why nothing will. */
export function describeRecovery({ incident, minutes }: { incident: Incident; minutes: number }): string {
  if (incident.status === 'resolved') return '';
  if (minutes === 0) return 'It stays open until somebody resolves it: this tenant switched automatic resolving off.';
  const wait = formatDuration(minutes * 60_000);
  const failing = incident.open_signal_count;
  if (failing > 0)
    return `It resolves automatically ${wait} after ${failing === 1 ? 'its failing signal' : `the last of ${failing} failing signals`} has recovered.`;
  return `Everything has recovered. It resolves automatically ${wait} after that.`;
}

/** Plain text for a ticket: what, since when, who, where to look. Times in UTC, since the reader may sit elsewhere. */
export function ticketText(input: { incident: Incident; sentence: string; signals: readonly Signal[]; url: string }): string {
  const { incident, sentence, signals, url } = input;
  const utc = (at: string): string => `${at.slice(0, 19).replace('T', ' ')} UTC`;
  const lines = [
    `Incident ${incident.number}: ${incident.title}`,
    `Severity: ${SEVERITY_NAMES[incident.severity]}. State: ${STATE_NAMES[incident.status]}.`,
    '',
    sentence,
    '',
    `First harm: ${utc(incident.started_at)}`,
    `Last seen: ${utc(incident.last_seen_at)}`,
    ...(incident.target ? [`Target: ${incident.target}`] : []),
    ...(incident.prefix ? [`Network: ${incident.prefix}`] : []),
    ...(incident.site ? [`Site: ${incident.site}`] : []),
    ...(incident.acknowledged_by ? [`Acknowledged by: ${personName(incident.acknowledged_by)}`] : []),
    '',
    'Signals:',
    ...signals.map(
      (signal) =>
        `- ${utc(signal.occurred_at)} ${PLANE_NAMES[signal.plane]}: ${signal.title}${signal.recovered_at ? ` (recovered ${utc(signal.recovered_at)})` : ''}`,
    ),
    '',
    url,
  ];
  return lines.join('\n');
}

/** `3 tests, 41 devices`; empty where nothing is known. */
export function describeAffected(affected: readonly { kind: string }[]): string {
  const names: Readonly<Record<string, string>> = {
    test: 'test',
    device: 'device',
    service: 'service',
    site: 'site',
    app: 'app',
  };
  const counts = Map.groupBy(affected, ({ kind }) => kind);
  return joinWords([...counts].map(([kind, items]) => plural(items.length, names[kind] ?? kind)));
}
