import { createDisclosureWords, itemName, itemWhat, itemWhy, type ShownItem } from '@svc/contracts/words/disclosure-words';
import { COLLECT_KEYS, type Collect, LABEL_KEYS, type LabelSwitches, type Labels } from './collect.ts';

/** Everything that decides what is collected, as it is in force right now. */
export interface LiveSettings {
  collect: Readonly<Collect>;
  /** Labels that this device was given, and whether they are sent. */
  labels?: Readonly<Labels>;
  sendsLabels?: LabelSwitches;
  /** Where results go; absent: nowhere, they are only shown. */
  server?: string;
  traceTargets: readonly string[];
  sessionTargets: readonly string[];
  intervalSeconds: { wifi: number; gateway: number; path: number; session: number };
  /** How what was sent can be read here. */
  readBack: string;
}

export interface DisclosureItem {
  what: string;
  /** All that is recorded under it. */
  details: string;
  why: string;
  sent: boolean;
}

export interface Disclosure {
  measured: DisclosureItem[];
  identifiers: DisclosureItem[];
  never: string[];
  destination: string;
  readBack: string;
}

const words = createDisclosureWords('en');
const every = (seconds: number): string => (seconds % 60 === 0 ? `each ${seconds / 60} min` : `each ${seconds} s`);

type ItemName = ShownItem['item'];

/** In the catalogue's words, as the window says it. `of`: targets or a value of this device. */
function describe(
  name: ItemName,
  sent: boolean,
  of: { targets?: readonly string[]; seconds?: number; value?: string } = {},
): DisclosureItem {
  const { targets = [], seconds, value } = of;
  const item: ShownItem = { item: name, on: sent, decidedBy: 'default', targets: [...targets] };
  const named = value === undefined ? itemName(words, item) : `${itemName(words, item)}: ${value}`;
  const shown = targets.length > 0 ? `${named}: ${targets.join(', ')}` : named;
  return {
    what: seconds === undefined ? shown : `${shown} (${every(seconds)})`,
    details: itemWhat(words, item),
    why: itemWhy(words, item),
    sent,
  };
}

const unmeasured = (what: string, name: ItemName): DisclosureItem => ({ ...describe(name, false), what });

function describeMeasured(live: LiveSettings): DisclosureItem[] {
  const { wifi, gateway, path, session } = live.intervalSeconds;
  const { traceTargets: traced, sessionTargets: opened, server } = live;
  const services = server === undefined ? opened : [...opened, server];
  return [
    describe('wifi', true, { seconds: wifi }),
    describe('gateway', true, { seconds: gateway }),
    traced.length > 0
      ? describe('path', true, { targets: traced, seconds: path })
      : unmeasured('Path: not measured, no target chosen', 'path'),
    services.length > 0
      ? describe('session', true, { targets: services, seconds: session })
      : unmeasured('Services: not measured, no target chosen', 'session'),
    describe('resolver', true, { seconds: session }),
    describe('context', true),
    describe('agent', true),
  ];
}

function describeLabels({ labels, sendsLabels }: LiveSettings): DisclosureItem[] {
  return LABEL_KEYS.flatMap((key) => {
    const value = labels?.[key];
    return value ? [describe(key, sendsLabels?.[key] === true, { value })] : [];
  });
}

const describeIdentifiers = (collect: Readonly<Collect>): DisclosureItem[] =>
  COLLECT_KEYS.map((key) => describe(key, collect[key]));

/** What is collected, why, where it goes and what never is: generated from the settings in force, never from a fixed text. */
export function describeCollection(live: LiveSettings): Disclosure {
  return {
    measured: describeMeasured(live),
    identifiers: [...describeIdentifiers(live.collect), ...describeLabels(live)],
    never: [words.t('collect.neverText')],
    destination: live.server ?? 'Nothing is sent: this device is not enrolled.',
    readBack: live.readBack,
  };
}

const WIDTH = 90;
/** Broken at spaces, so that a terminal of 100 columns shows it whole. */
function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && last.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n         ');
}

const line = ({ sent, what, details, why }: DisclosureItem): string =>
  `  ${sent ? 'yes' : 'no '}  ${what}\n         ${wrapped(details)}\n         ${why}`;

/** The banner that a person reads at every start. Plain text, at most 100 columns a line where targets permit it. */
export function disclosureText(disclosure: Disclosure): string {
  return [
    'This device measures its own network so that slowness can be explained.',
    '',
    'Measured',
    ...disclosure.measured.map(line),
    '',
    'Identifiers that leave this device',
    ...disclosure.identifiers.map(line),
    '',
    'Never collected',
    ...disclosure.never.map((what) => `  no   ${wrapped(what)}`),
    '',
    `Sent to: ${disclosure.destination}`,
    `Read what was sent: ${disclosure.readBack}`,
  ].join('\n');
}
