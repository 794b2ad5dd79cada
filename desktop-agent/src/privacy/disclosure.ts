import type { Collect, LabelSwitches, Labels } from './collect.ts';

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

const NEVER = [
  'The hardware address of your access point (BSSID) or of your device',
  'Names or addresses of neighbouring networks; no scan is ever started',
  'Pages you visit, contents of your traffic, keystrokes, files or screen',
  'Your position',
];

const every = (seconds: number): string => (seconds % 60 === 0 ? `each ${seconds / 60} min` : `each ${seconds} s`);
const list = (targets: readonly string[]): string => targets.join(', ');

function describeMeasured(live: LiveSettings): DisclosureItem[] {
  const { wifi, gateway, path, session } = live.intervalSeconds;
  const traced = live.traceTargets.length > 0;
  const opened = live.sessionTargets.length > 0;
  return [
    {
      what: `Wi-Fi signal, noise, link rate, channel, retries, how busy the channel is (${every(wifi)})`,
      why: 'to tell a weak or disturbed signal',
      sent: true,
    },
    { what: `Round trip and loss to your router (${every(gateway)})`, why: 'to tell a slow local network', sent: true },
    {
      what: traced ? `Path to ${list(live.traceTargets)} (${every(path)})` : 'Path: not measured, no target chosen',
      why: 'to tell a slow internet provider',
      sent: traced,
    },
    {
      what: opened ? `Time to open ${list(live.sessionTargets)} (${every(session)})` : 'Services: not measured, no target chosen',
      why: 'to tell a slow service',
      sent: opened,
    },
    { what: 'Round trip to your DNS servers and to the control plane', why: 'to tell name look-ups apart', sent: true },
    {
      what: 'Whether on battery, on a metered network, over a VPN, behind a sign-in page, just awake; how often Wi-Fi roamed',
      why: 'to tell what goes with slowness',
      sent: true,
    },
    { what: 'What this agent itself costs: processor, memory, bytes sent', why: 'so that it can be held to it', sent: true },
  ];
}

function describeLabels({ labels, sendsLabels }: LiveSettings): DisclosureItem[] {
  const items: DisclosureItem[] = [];
  if (labels?.site)
    items.push({ what: `Site label: ${labels.site}`, why: 'to find the devices of one site', sent: sendsLabels?.site === true });
  if (labels?.ownerEmail)
    items.push({
      what: `E-mail address of the owner: ${labels.ownerEmail}`,
      why: 'so that support knows whose device it is',
      sent: sendsLabels?.ownerEmail === true,
    });
  return items;
}

function describeIdentifiers(collect: Readonly<Collect>): DisclosureItem[] {
  return [
    { what: 'Name of your Wi-Fi network (SSID)', why: 'to see whether others on it are slow too', sent: collect.ssid },
    {
      what: 'Private addresses of your router, DNS server and inner path',
      why: 'to group devices behind one router',
      sent: collect.gatewayIp,
    },
    {
      what: 'Addresses of routers outside your network',
      why: 'to name the provider’s router that is slow',
      sent: collect.publicHops,
    },
    { what: 'Name of this device', why: 'so that support can find it', sent: collect.deviceName },
    { what: 'Operating system version, model, adapter name', why: 'to see faults of one model', sent: collect.hostFacts },
  ];
}

/** What is collected, why, where it goes and what never is: generated from the settings in force, never from a fixed text. */
export function describeCollection(live: LiveSettings): Disclosure {
  return {
    measured: describeMeasured(live),
    identifiers: [...describeIdentifiers(live.collect), ...describeLabels(live)],
    never: NEVER,
    destination: live.server ?? 'Nothing is sent: this device is not enrolled.',
    readBack: live.readBack,
  };
}

const line = (item: DisclosureItem): string => `  ${item.sent ? 'yes' : 'no '}  ${item.what}\n         ${item.why}`;

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
    ...disclosure.never.map((what) => `  no   ${what}`),
    '',
    `Sent to: ${disclosure.destination}`,
    `Read what was sent: ${disclosure.readBack}`,
  ].join('\n');
}
