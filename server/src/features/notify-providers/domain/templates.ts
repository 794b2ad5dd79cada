import type { Verb } from '@svc/contracts/notify/kinds';
import type { Message, ToldIncident } from '#kernel';
import { clean, oneLine } from './escape.ts';

/**
 * Every text that leaves, in one place. A provider takes these parts, escapes and shortens them as it must, and adds no words of its own
 * about an incident.
 */
export interface Text {
  /** One line: what happened to which incident. */
  headline: string;
  /** The incident's own title; a stranger's words. */
  title: string;
  /** Sentences, the most important first; the last comes from people or strangers too. */
  notes: readonly string[];
  facts: readonly (readonly [name: string, value: string])[];
  /** Others that share the message: a line and a link each. */
  together: readonly { line: string; url: string }[];
  link: { label: string; url: string };
}

export const PRODUCT = 'Network Observability Service';

const SEVERITY_WORDS = { info: 'Info', warning: 'Warning', critical: 'Critical' } as const;
const PLANE_WORDS = {
  tests: 'synthetic tests',
  endpoint: 'devices',
  otlp: 'services',
  rum: 'real users',
} as const;
const HEADS: Readonly<Record<Verb, string>> = {
  open: 'opened',
  update: 'still open',
  acknowledge: 'acknowledged',
  resolve: 'resolved',
  reopen: 'open again',
};

/** One zone for everybody: people of one team sit in several. */
export const moment = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** "Incident 94 opened"; a test never looks like an incident. */
function headlineOf({ incident, isTest, together }: Message, verb: Verb): string {
  if (isTest) return `Test of the connection (${HEADS[verb]}): this is no incident`;
  const several = together.length > 0 ? ` and ${together.length} more` : '';
  // Somebody has it: whoever reads on must not think that nobody does.
  const isTaken = verb === 'update' && incident.status === 'acknowledged';
  return `Incident ${incident.number}${several} ${isTaken ? 'acknowledged, not resolved yet' : HEADS[verb]}`;
}

function notesOf(message: Message, verb: Verb): string[] {
  const { isTest, isPossibleRepeat, former, words, generation } = message;
  return [
    ...(isTest ? ['Somebody tests this connector. It opens and closes again; nothing has to be done.'] : []),
    ...(isPossibleRepeat ? ['Possible repeat: an earlier attempt may have arrived already.'] : []),
    ...(verb === 'open' && generation > 1
      ? [
          `The incident is open again.${former ? ` Before: ${former.label ?? former.id}${former.url ? ` (${former.url})` : ''}.` : ''}`,
        ]
      : []),
    ...(words.trim() === '' ? [] : [clean(words).trim()]),
  ];
}

function factsOf(incident: ToldIncident): (readonly [string, string])[] {
  const { severity, target, prefix, site, planes, signalCount, startedAt, resolvedAt } = incident;
  const facts: [string, string | null][] = [
    ['Severity', SEVERITY_WORDS[severity]],
    ['Target', target],
    ['Network', prefix],
    ['Site', site],
    ['Seen by', planes.map((plane) => PLANE_WORDS[plane]).join(', ')],
    ['Signals', String(signalCount)],
    ['Started', moment(startedAt)],
    ['Resolved', resolvedAt && moment(resolvedAt)],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, oneLine(value)] as const] : []));
}

const lineOf = ({ number, title, severity }: ToldIncident): string =>
  `${SEVERITY_WORDS[severity]}: incident ${number}, ${oneLine(title)}`;

export function textOf(message: Message, verb: Verb): Text {
  const { incident, together, isTest } = message;
  return {
    headline: headlineOf(message, verb),
    title: oneLine(incident.title) || `Incident ${incident.number}`,
    notes: notesOf(message, verb),
    facts: factsOf(incident),
    together: together.map((one) => ({ line: lineOf(one), url: one.url })),
    link: { label: isTest ? 'Open the console' : `View incident ${incident.number}`, url: incident.url },
  };
}

/** "Critical: <title> (incident 94)": what a pager reads out and a list of tickets shows; as the incident's own title stands first, it is what is cut. */
export function summaryOf({ incident, isTest, isPossibleRepeat, generation }: Message): {
  before: string;
  title: string;
  after: string;
} {
  return {
    before: `${isTest ? 'TEST: ' : ''}${isPossibleRepeat ? 'Possible repeat: ' : ''}${generation > 1 ? 'Open again: ' : ''}${SEVERITY_WORDS[incident.severity]}: `,
    title: oneLine(incident.title) || 'network incident',
    after: isTest ? '' : ` (incident ${incident.number})`,
  };
}

/** The whole as plain text, without its link, which callers put where it is not cut. */
export function plainOf({ headline, title, notes, facts, together }: Text): string {
  return [
    headline,
    title,
    ...(notes.length > 0 ? ['', ...notes] : []),
    '',
    ...facts.map(([name, value]) => `${name}: ${value}`),
    ...(together.length > 0 ? ['', 'Together with:', ...together.map(({ line, url }) => `${line} ${url}`)] : []),
  ].join('\n');
}
