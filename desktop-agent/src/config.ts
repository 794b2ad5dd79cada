import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { readEnvironment } from './env.ts';
import { type Managed, readManaged } from './managed.ts';
import { COLLECT_DEFAULTS, COLLECT_NOTHING, type Collect, LABEL_KEYS, type LabelSwitches } from './privacy/collect.ts';

/** Everything the agent reads from its environment; frozen. Intervals in seconds, undefined: the tenant's policy decides. */
export interface AgentConfig {
  stateDir: string;
  collect: Readonly<Collect>;
  traceTargets: readonly string[];
  sessionTargets: readonly string[];
  wifiIntervalSeconds: number | undefined;
  gatewayIntervalSeconds: number | undefined;
  pathIntervalSeconds: number | undefined;
  sessionIntervalSeconds: number | undefined;
  spoolMaxBytes: number;
  site: string | undefined;
  ownerEmail: string | undefined;
  /** Which of the two labels may leave this device. */
  sendsLabels: LabelSwitches;
  /** Where a service of the machine listens for whoever sits at it; undefined where no system has such a place. */
  seatSocket: string | undefined;
}

/** One key of the environment: its default in words and what it is for. The documentation's test reads this list. */
export interface ConfigKey {
  key: string;
  default: string;
  purpose: string;
}

/** All faults of the configuration at once; exit 2. */
export class ConfigError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((f) => `  ${f}`).join('\n')}`,
    );
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads values and gathers what is wrong with them, instead of stopping at the first. */
interface Reader {
  faults: string[];
  text(key: string): string | undefined;
}

const HOST = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.?$/i;
const ADDRESS_6 = /^[0-9a-f:]+(%\w+)?$/i;
const MAX_TRACE_TARGETS = 8;
const MAX_SESSION_TARGETS = 32;

function readSwitch(reader: Reader, key: string, fallback: boolean): boolean {
  const text = reader.text(key)?.toLowerCase();
  if (text === undefined) return fallback;
  if (['true', '1', 'yes', 'on'].includes(text)) return true;
  if (['false', '0', 'no', 'off'].includes(text)) return false;
  reader.faults.push(`${key} is true or false, not "${text}".`);
  return fallback;
}

function readNumber(reader: Reader, key: string, range: { min: number; max: number; unit: string }): number | undefined {
  const text = reader.text(key);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= range.min && value <= range.max) return value;
  reader.faults.push(`${key} is a number of ${range.unit} from ${range.min} to ${range.max}, not "${text}".`);
  return undefined;
}

function readList(reader: Reader, key: string, rule: { max: number; is: (item: string) => boolean; words: string }): string[] {
  const items = (reader.text(key) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  for (const item of items) if (!rule.is(item)) reader.faults.push(`${key}: "${item}" is not ${rule.words}.`);
  if (items.length > rule.max) reader.faults.push(`${key} names ${items.length} targets; at most ${rule.max} are measured.`);
  return [...new Set(items)];
}

const isHost = (text: string): boolean => HOST.test(text) || (text.includes(':') && ADDRESS_6.test(text));
const isWebUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const SEAT_SOCKETS: Partial<Record<NodeJS.Platform, string>> = {
  linux: '/run/svc-agent/seat.sock',
  darwin: '/var/db/svc-agent-seat/seat.sock',
  // A file with the name of a pipe, where no user may write.
  win32: 'C:\\Program Files\\svc-agent\\seat\\seat.pipe',
};

const COLLECT_KEYS: Readonly<Record<keyof Collect, string>> = {
  ssid: 'SVC_ENDPOINT_COLLECT_SSID',
  gatewayIp: 'SVC_ENDPOINT_COLLECT_GATEWAY_IP',
  deviceName: 'SVC_ENDPOINT_COLLECT_DEVICE_NAME',
  hostFacts: 'SVC_ENDPOINT_COLLECT_HOST_FACTS',
  publicHops: 'SVC_ENDPOINT_COLLECT_PUBLIC_HOPS',
};
const LABEL_SWITCHES: Readonly<Record<keyof LabelSwitches, string>> = {
  site: 'SVC_ENDPOINT_COLLECT_SITE',
  ownerEmail: 'SVC_ENDPOINT_COLLECT_OWNER_EMAIL',
};
const COLLECT_SWITCHES: ReadonlySet<string> = new Set([...Object.values(COLLECT_KEYS), ...Object.values(LABEL_SWITCHES)]);

export const CONFIG_KEYS: readonly ConfigKey[] = [
  {
    key: 'SVC_AGENT_STATE_DIR',
    default: '~/.local/state/svc-agent',
    purpose: 'where identity, spool and ledger rest (mode 0700)',
  },
  { key: 'SVC_AGENT_SPOOL_MAX_MB', default: '20', purpose: 'bound of what waits on disk while offline; the oldest goes first' },
  { key: 'SVC_AGENT_SITE', default: 'unset', purpose: 'site label, sent with its switch' },
  { key: 'SVC_AGENT_OWNER_EMAIL', default: 'unset', purpose: 'whose device it is, sent with its switch' },
  {
    key: 'SVC_AGENT_SEAT_SOCKET',
    default: '/run/svc-agent/seat.sock',
    purpose:
      'where `run --seat` listens and windows look for it; on macOS /var/db/svc-agent-seat/seat.sock, on Windows a file that tells where: C:\\Program Files\\svc-agent\\seat\\seat.pipe',
  },
  {
    key: 'SVC_ENDPOINT_TRACE_TARGETS',
    default: 'unset',
    purpose: 'hosts to trace to, comma-separated, beside the tenant’s; at most 8',
  },
  {
    key: 'SVC_ENDPOINT_SESSION_TARGETS',
    default: 'unset',
    purpose: 'http or https URLs to open, comma-separated, beside the tenant’s; at most 32',
  },
  { key: 'SVC_ENDPOINT_PRIVACY', default: 'default', purpose: '"strict" switches every SVC_ENDPOINT_COLLECT_* off' },
  { key: COLLECT_KEYS.ssid, default: 'true', purpose: 'name of the Wi-Fi network' },
  { key: COLLECT_KEYS.gatewayIp, default: 'true', purpose: 'private addresses of gateway, resolver and inner hops' },
  { key: COLLECT_KEYS.deviceName, default: 'true', purpose: 'name of the device, sent at enrolment' },
  { key: COLLECT_KEYS.hostFacts, default: 'true', purpose: 'operating system version, model, adapter name' },
  { key: COLLECT_KEYS.publicHops, default: 'false', purpose: 'addresses of hops outside the local network' },
  { key: LABEL_SWITCHES.site, default: 'true', purpose: 'the site label, where one is set' },
  { key: LABEL_SWITCHES.ownerEmail, default: 'true', purpose: 'the owner’s e-mail address, where one is set' },
  { key: 'SVC_ENDPOINT_WIFI_INTERVAL_SECONDS', default: 'policy (60)', purpose: 'how often Wi-Fi is read, 1 to 3600' },
  {
    key: 'SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS',
    default: 'policy (60)',
    purpose: 'how often the gateway is measured and a verdict made, 1 to 3600',
  },
  { key: 'SVC_ENDPOINT_PATH_INTERVAL_SECONDS', default: 'policy (300)', purpose: 'how often paths are traced, 5 to 86400' },
  {
    key: 'SVC_ENDPOINT_SESSION_INTERVAL_SECONDS',
    default: 'policy (300)',
    purpose: 'how often sessions and resolvers are measured, 5 to 86400',
  },
];

function readCollect(reader: Reader, environment: Environment): Pick<AgentConfig, 'collect' | 'sendsLabels'> {
  const privacy = reader.text('SVC_ENDPOINT_PRIVACY') ?? 'default';
  if (privacy !== 'strict' && privacy !== 'default')
    reader.faults.push(`SVC_ENDPOINT_PRIVACY is "strict" or "default", not "${privacy}".`);
  // A misspelt toggle would collect what somebody meant to switch off.
  for (const key of Object.keys(environment)) {
    if (key.startsWith('SVC_ENDPOINT_COLLECT_') && !COLLECT_SWITCHES.has(key))
      reader.faults.push(`${key} is not known; the toggles are ${[...COLLECT_SWITCHES].join(', ')}.`);
  }
  const collect: Collect = { ...COLLECT_DEFAULTS };
  for (const [name, key] of Object.entries(COLLECT_KEYS) as [keyof Collect, string][])
    collect[name] = readSwitch(reader, key, COLLECT_DEFAULTS[name]);
  const sendsLabels = { site: true, ownerEmail: true };
  for (const name of LABEL_KEYS) sendsLabels[name] = readSwitch(reader, LABEL_SWITCHES[name], true);
  const isStrict = privacy === 'strict';
  return {
    collect: Object.freeze(isStrict ? { ...COLLECT_NOTHING } : collect),
    sendsLabels: Object.freeze(isStrict ? { site: false, ownerEmail: false } : sendsLabels),
  };
}

function readEmail(reader: Reader): string | undefined {
  const email = reader.text('SVC_AGENT_OWNER_EMAIL');
  if (email !== undefined && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email))
    reader.faults.push(`SVC_AGENT_OWNER_EMAIL is no e-mail address: "${email}".`);
  return email;
}

const stateDirOf = (text: string | undefined): string => {
  const path = text?.trim() || join(homedir(), '.local', 'state', 'svc-agent');
  return isAbsolute(path) ? path : resolve(path);
};

/** Reads the whole configuration. Throws ConfigError with every fault. */
export function readConfig(environment: Environment): Readonly<AgentConfig> {
  const reader: Reader = {
    faults: [],
    text: (key) => {
      const value = environment[key]?.trim();
      return value === '' ? undefined : value;
    },
  };
  const often = { min: 1, max: 3600, unit: 'seconds' };
  const seldom = { min: 5, max: 86_400, unit: 'seconds' };
  const site = reader.text('SVC_AGENT_SITE');
  if (site !== undefined && site.length > 128) reader.faults.push('SVC_AGENT_SITE has at most 128 characters.');
  const config: AgentConfig = {
    stateDir: stateDirOf(environment.SVC_AGENT_STATE_DIR),
    ...readCollect(reader, environment),
    traceTargets: readList(reader, 'SVC_ENDPOINT_TRACE_TARGETS', {
      max: MAX_TRACE_TARGETS,
      is: isHost,
      words: 'a host name or an address',
    }),
    sessionTargets: readList(reader, 'SVC_ENDPOINT_SESSION_TARGETS', {
      max: MAX_SESSION_TARGETS,
      is: isWebUrl,
      words: 'an http or https URL',
    }),
    wifiIntervalSeconds: readNumber(reader, 'SVC_ENDPOINT_WIFI_INTERVAL_SECONDS', often),
    gatewayIntervalSeconds: readNumber(reader, 'SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS', often),
    pathIntervalSeconds: readNumber(reader, 'SVC_ENDPOINT_PATH_INTERVAL_SECONDS', seldom),
    sessionIntervalSeconds: readNumber(reader, 'SVC_ENDPOINT_SESSION_INTERVAL_SECONDS', seldom),
    spoolMaxBytes: (readNumber(reader, 'SVC_AGENT_SPOOL_MAX_MB', { min: 1, max: 1024, unit: 'megabytes' }) ?? 20) * 1024 * 1024,
    site,
    ownerEmail: readEmail(reader),
    seatSocket: reader.text('SVC_AGENT_SEAT_SOCKET') ?? SEAT_SOCKETS[process.platform],
  };
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
  return Object.freeze(config);
}

/**
 * The environment below what manages the device: a managed setting goes before one of the environment, but for collection, where the
 * stricter of both holds.
 */
export function mergeManaged(environment: Environment, settings: Readonly<Record<string, string>>): Environment {
  const isStricter = (key: string): boolean => {
    const text = environment[key]?.trim().toLowerCase() ?? '';
    return key === 'SVC_ENDPOINT_PRIVACY'
      ? text === 'strict'
      : COLLECT_SWITCHES.has(key) && ['false', '0', 'no', 'off'].includes(text);
  };
  const inForce = Object.entries(settings).filter(([key]) => !isStricter(key));
  return { ...environment, ...Object.fromEntries(inForce) };
}

/** What manages this device, or undefined. Throws ConfigError: with a fault in it nobody knows what it restricts. */
export function loadManaged(): Managed | undefined {
  const { managed, faults } = readManaged(readEnvironment().SystemRoot);
  if (faults.length > 0) throw new ConfigError(faults);
  return managed;
}

/** Where the AppImage lies that this program runs from, by the word of its runtime. */
export const appImagePath = (): string | undefined => readEnvironment().APPIMAGE;

/** Where this process keeps its state, whatever faults the rest of its configuration has. */
export const loadStateDir = (): string => stateDirOf(readEnvironment().SVC_AGENT_STATE_DIR);

/** The configuration of this very process. */
export const loadConfig = (): Readonly<AgentConfig> => readConfig(mergeManaged(readEnvironment(), loadManaged()?.settings ?? {}));
