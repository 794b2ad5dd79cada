import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ENROL_TOKEN } from '@svc/contracts/agent/version';

/**
 * What whoever manages this device set for the agent: a file on Linux, managed preferences on macOS, a registry key on Windows. Only
 * the system's administrator can write these places, and nothing is read that somebody else could have written.
 */
export interface Managed {
  /** Where it stands, for a person. */
  place: string;
  /** `https://host:port` */
  server?: string;
  enrolToken?: string;
  /** `tell`: the program with a window does not replace itself. */
  updates: 'self' | 'tell';
  /** Settings by their key in the environment. */
  settings: Readonly<Record<string, string>>;
}

/** `managed` is undefined where nobody manages this device. With faults nothing of it may be used: what it restricts is unknown. */
export interface ManagedReading {
  managed: Managed | undefined;
  faults: readonly string[];
}

/** The names of managed settings and the keys that they stand for. */
export const MANAGED_SETTINGS: Readonly<Record<string, string>> = {
  site: 'SVC_AGENT_SITE',
  ownerEmail: 'SVC_AGENT_OWNER_EMAIL',
  spoolMaxMb: 'SVC_AGENT_SPOOL_MAX_MB',
  traceTargets: 'SVC_ENDPOINT_TRACE_TARGETS',
  sessionTargets: 'SVC_ENDPOINT_SESSION_TARGETS',
  privacy: 'SVC_ENDPOINT_PRIVACY',
  collectSsid: 'SVC_ENDPOINT_COLLECT_SSID',
  collectGatewayIp: 'SVC_ENDPOINT_COLLECT_GATEWAY_IP',
  collectDeviceName: 'SVC_ENDPOINT_COLLECT_DEVICE_NAME',
  collectHostFacts: 'SVC_ENDPOINT_COLLECT_HOST_FACTS',
  collectPublicHops: 'SVC_ENDPOINT_COLLECT_PUBLIC_HOPS',
  collectSite: 'SVC_ENDPOINT_COLLECT_SITE',
  collectOwnerEmail: 'SVC_ENDPOINT_COLLECT_OWNER_EMAIL',
  wifiIntervalSeconds: 'SVC_ENDPOINT_WIFI_INTERVAL_SECONDS',
  gatewayIntervalSeconds: 'SVC_ENDPOINT_GATEWAY_INTERVAL_SECONDS',
  pathIntervalSeconds: 'SVC_ENDPOINT_PATH_INTERVAL_SECONDS',
  sessionIntervalSeconds: 'SVC_ENDPOINT_SESSION_INTERVAL_SECONDS',
};
const OWN_NAMES = ['server', 'enrolToken', 'updates'];

export const MANAGED_FILE = '/etc/svc-agent/managed.json';
export const MANAGED_PREFERENCES = '/Library/Managed Preferences/org.network-observability.agent.plist';
export const MANAGED_KEY = 'HKLM\\SOFTWARE\\Policies\\NetworkObservability\\Agent';
const MAX_BYTES = 64 * 1024;
const COMMAND_LIMIT_MS = 10_000;

type Document = Readonly<Record<string, unknown>>;

/** A value as the environment would hold it, or undefined: not of a kind that a setting can be. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  return undefined;
}

/** Reads a managed document, whatever it came from. The token never stands in a fault. */
export function parseManaged(document: unknown, place: string): ManagedReading {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return { managed: undefined, faults: [`${place} is no object of settings.`] };
  const faults: string[] = [];
  const settings: Record<string, string> = {};
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(document as Document)) {
    const text = textOf(value)?.trim();
    const key = Object.hasOwn(MANAGED_SETTINGS, name) ? MANAGED_SETTINGS[name] : undefined;
    // Device management writes an empty value for "not configured", and on macOS words of its own into the same document.
    if (text === '' || name.startsWith('Payload')) continue;
    if (text === undefined) faults.push(`${place}: ${name} is no text, number, switch or list of texts.`);
    else if (key !== undefined) settings[key] = text;
    else if (OWN_NAMES.includes(name)) own[name] = text;
    // A misspelt restriction would collect what somebody meant to switch off.
    else faults.push(`${place}: ${name} is not known; known are ${[...OWN_NAMES, ...Object.keys(MANAGED_SETTINGS)].join(', ')}.`);
  }
  const { server, enrolToken, updates = 'self' } = own;
  if (server !== undefined && !(URL.canParse(server) && new URL(server).protocol === 'https:'))
    faults.push(`${place}: server is an https address, not "${server}".`);
  if (enrolToken !== undefined && !ENROL_TOKEN.test(enrolToken)) faults.push(`${place}: enrolToken is no enrol token.`);
  if (enrolToken !== undefined && server === undefined) faults.push(`${place}: enrolToken needs server.`);
  if (updates !== 'self' && updates !== 'tell') faults.push(`${place}: updates is "self" or "tell", not "${updates}".`);
  if (faults.length > 0) return { managed: undefined, faults };
  return {
    managed: {
      place,
      ...(server === undefined ? {} : { server: new URL(server).origin }),
      ...(enrolToken === undefined ? {} : { enrolToken }),
      updates: updates as Managed['updates'],
      settings,
    },
    faults,
  };
}

/** Why somebody other than the administrator could have written this, or undefined. */
function whyUntrusted(path: string, stat: { uid: number; mode: number }, ownerUid: number): string | undefined {
  if (stat.uid !== ownerUid)
    return `${path} belongs to user ${stat.uid}, not to ${ownerUid === 0 ? 'root' : `user ${ownerUid}`}.`;
  if ((stat.mode & 0o022) !== 0) return `${path} may be written by others: its mode is ${(stat.mode & 0o777).toString(8)}.`;
  return undefined;
}

/** The text of a file that only its owner can write, in a folder that only its owner can write; undefined where there is none. */
function readOwned(path: string, ownerUid: number): { text: string | undefined; fault?: string } {
  let handle: number;
  try {
    if (lstatSync(path).isSymbolicLink()) return { text: undefined, fault: `${path} is a link; it must be a file.` };
    handle = openSync(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { text: undefined };
    return { text: undefined, fault: `${path} cannot be read: ${code}.` };
  }
  try {
    const stat = fstatSync(handle);
    const fault = whyUntrusted(path, stat, ownerUid) ?? whyUntrusted(dirname(path), lstatSync(dirname(path)), ownerUid);
    if (fault !== undefined) return { text: undefined, fault };
    if (!stat.isFile() || stat.size > MAX_BYTES)
      return { text: undefined, fault: `${path} is no file of at most ${MAX_BYTES} bytes.` };
    return { text: readFileSync(handle, 'utf8') };
  } finally {
    closeSync(handle);
  }
}

function parseJson(text: string, place: string): ManagedReading {
  try {
    return parseManaged(JSON.parse(text), place);
  } catch {
    return { managed: undefined, faults: [`${place} is no JSON document.`] };
  }
}

/** `ownerUid` is root's but in tests. */
export function readManagedFile(path: string, ownerUid = 0): ManagedReading {
  const { text, fault } = readOwned(path, ownerUid);
  if (fault !== undefined) return { managed: undefined, faults: [fault] };
  return text === undefined ? { managed: undefined, faults: [] } : parseJson(text, path);
}

/** What `reg query` printed: one line a value. Lists are parted by `\0`, numbers are hexadecimal. */
export function parseRegistry(printed: string): Document {
  const document: Record<string, unknown> = {};
  for (const line of printed.split(/\r?\n/)) {
    const [, name, type, value = ''] = /^ {4}(\S.*?) {4}REG_(SZ|EXPAND_SZ|DWORD|QWORD|MULTI_SZ)(?: {4}(.*))?$/.exec(line) ?? [];
    if (name === undefined) continue;
    if (type === 'MULTI_SZ') document[name] = value.split('\\0').filter((item) => item !== '');
    else document[name] = type === 'DWORD' || type === 'QWORD' ? Number(value) : value;
  }
  // The console's code page lost a character: better no value than another one.
  for (const [name, value] of Object.entries(document)) if (String(value).includes('\uFFFD')) document[name] = null;
  return document;
}

/** What a program of the system prints. */
const ask = (program: string, args: readonly string[]): string =>
  execFileSync(program, args, {
    encoding: 'utf8',
    timeout: COMMAND_LIMIT_MS,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

function readRegistry(systemRoot: string): ManagedReading {
  try {
    const reg = join(systemRoot, 'System32', 'reg.exe');
    return parseManaged(parseRegistry(ask(reg, ['query', MANAGED_KEY])), MANAGED_KEY);
  } catch (error) {
    // 1: there is no such key.
    if ((error as { status?: number }).status === 1) return { managed: undefined, faults: [] };
    return { managed: undefined, faults: [`${MANAGED_KEY} cannot be read: ${(error as Error).message}`] };
  }
}

function readPreferences(): ManagedReading {
  const { text, fault } = readOwned(MANAGED_PREFERENCES, 0);
  if (fault !== undefined) return { managed: undefined, faults: [fault] };
  if (text === undefined) return { managed: undefined, faults: [] };
  try {
    return parseJson(ask('/usr/bin/plutil', ['-convert', 'json', '-o', '-', MANAGED_PREFERENCES]), MANAGED_PREFERENCES);
  } catch (error) {
    return { managed: undefined, faults: [`${MANAGED_PREFERENCES} cannot be read: ${(error as Error).message}`] };
  }
}

/** The managed configuration of this very device, read anew. Never throws. `systemRoot` matters on Windows alone. */
export function readManaged(systemRoot = 'C:\\Windows'): ManagedReading {
  if (process.platform === 'win32') return readRegistry(systemRoot);
  if (process.platform === 'darwin') return readPreferences();
  return readManagedFile(MANAGED_FILE);
}
