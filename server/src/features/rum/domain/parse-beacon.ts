import { canonicalHost } from '@svc/contracts/rum/canonical-host';
import { BROWSERS, type Browser, type Vital } from '@svc/contracts/rum/kinds';
import { normalisePage } from './normalise-page.ts';

/** Why a beacon is refused once its key is known to be good. */
export interface BeaconFault {
  reason: 'no_consent' | 'malformed' | 'invalid_field';
  /** At which field, where it is at one. */
  field?: string;
  message: string;
}

/** What a beacon says; the schema is contracts' `Beacon`, by hand since this runs thousands of times a second. */
export interface ParsedBeacon {
  host: string;
  page: string;
  browser: Browser;
  vitals: Partial<Record<Vital, number>>;
  errors: number;
  failedRequests: number;
  sdk: string | undefined;
}

/** The body as an object, or why it is none; `key` as far as it can be made out either way. */
export interface OpenedBody {
  fields: Readonly<Record<string, unknown>> | undefined;
  key: string | undefined;
  fault: string | undefined;
}

const FIELDS = new Set(['v', 'key', 'consent', 'host', 'page', 'browser', 'vitals', 'errors', 'failed_requests', 'sdk']);
const VITAL_FIELDS: ReadonlyMap<string, Vital> = new Map([
  ['ttfb_ms', 'ttfb'],
  ['fcp_ms', 'fcp'],
  ['lcp_ms', 'lcp'],
  ['inp_ms', 'inp'],
  ['load_ms', 'load'],
  ['cls', 'cls'],
]);
const KNOWN_BROWSERS: ReadonlySet<unknown> = new Set(BROWSERS);
const MAX = { key: 128, host: 253, page: 4096, sdk: 32, milliseconds: 600_000, cls: 1000, count: 10_000 } as const;
/** Words of a field that may be told back; anything else could be somebody's data. */
const TELLABLE = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;
const KEY_IN_TEXT = /"key"\s*:\s*"([\x21\x23-\x5b\x5d-\x7e]{1,128})"/;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whose beacon it seems to be, of a body that cannot be parsed or is not whole. */
export const findKey = (text: string): string | undefined => KEY_IN_TEXT.exec(text)?.[1];

/** Where the string that begins at `at` ends; the end of the text where it does not. */
function endOfString(text: string, at: number): number {
  let i = at + 1;
  while (i < text.length && text.charCodeAt(i) !== 0x22) i += text.charCodeAt(i) === 0x5c ? 2 : 1;
  return i;
}

/** Bodies nest two deep; what nests deeper than this is not parsed. */
const MAX_DEPTH = 32;

/** Colons outside of strings, of which JSON has one for each member of each object; undefined where it nests too deep. */
function countMembers(text: string): number | undefined {
  let [count, depth] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(text, i);
    else if (code === 0x3a) count++;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > MAX_DEPTH) return undefined;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return count;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const one of Object.values(value)) count += countKeys(one);
  return count;
}

/** Reads a body leniently first, so that a refusal is counted for whom it concerns. */
export function openBody(bytes: Uint8Array): OpenedBody {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { fields: undefined, key: findKey(Buffer.from(bytes).toString('latin1')), fault: 'It is not UTF-8.' };
  }
  const members = countMembers(text);
  if (members === undefined) return { fields: undefined, key: findKey(text), fault: 'It nests too deep.' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fields: undefined, key: findKey(text), fault: 'It is not JSON.' };
  }
  if (!isObject(value)) return { fields: undefined, key: undefined, fault: 'It is not a JSON object.' };
  const key = typeof value.key === 'string' && value.key.length <= MAX.key ? value.key : undefined;
  if (members !== countKeys(value)) return { fields: undefined, key, fault: 'It names a field twice.' };
  return { fields: value, key, fault: undefined };
}

const tellable = (field: string): string => (TELLABLE.test(field) ? field : '(unnamed)');
const invalid = (field: string, message: string): BeaconFault => ({ reason: 'invalid_field', field, message });

function readNumber(value: unknown, max: number): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= max ? value : undefined;
}

function readVitals(given: unknown): Partial<Record<Vital, number>> | BeaconFault {
  if (given === undefined) return {};
  if (!isObject(given)) return invalid('vitals', 'must be an object');
  const vitals: Partial<Record<Vital, number>> = {};
  for (const [field, value] of Object.entries(given)) {
    const vital = VITAL_FIELDS.get(field);
    if (vital === undefined) return invalid(`vitals.${tellable(field)}`, 'is not a field of a beacon');
    const max = vital === 'cls' ? MAX.cls : MAX.milliseconds;
    const number = readNumber(value, max);
    if (number === undefined) return invalid(`vitals.${field}`, `must be a number from 0 to ${max}`);
    vitals[vital] = number;
  }
  return vitals;
}

function readCount(fields: OpenedBody['fields'], field: string): number | BeaconFault {
  const value = fields?.[field];
  if (value === undefined) return 0;
  const count = readNumber(value, MAX.count);
  return count !== undefined && Number.isInteger(count) ? count : invalid(field, `must be a whole number from 0 to ${MAX.count}`);
}

const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= max;
const isFault = (value: unknown): value is BeaconFault => typeof value === 'object' && value !== null && 'reason' in value;

/** What says whom and what a beacon is of. */
function readPlace(
  fields: Readonly<Record<string, unknown>>,
): Pick<ParsedBeacon, 'host' | 'page' | 'browser' | 'sdk'> | BeaconFault {
  const { v, key, host: givenHost, page: givenPage, browser = 'other', sdk } = fields;
  if (v !== 1) return invalid('v', 'must be 1');
  if (!isText(key, MAX.key)) return invalid('key', 'must be the key of an app');
  const host = isText(givenHost, MAX.host) ? canonicalHost(givenHost) : undefined;
  if (host === undefined) return invalid('host', 'must be a host name');
  const page = isText(givenPage, MAX.page) ? normalisePage(givenPage) : undefined;
  if (page === undefined) return invalid('page', 'must be a path that begins with /');
  if (!KNOWN_BROWSERS.has(browser)) return invalid('browser', `must be one of ${BROWSERS.join(', ')}`);
  if (sdk !== undefined && (typeof sdk !== 'string' || sdk.length > MAX.sdk))
    return invalid('sdk', `must be at most ${MAX.sdk} characters`);
  return { host, page, browser: browser as Browser, sdk };
}

/** An opened body against the schema: consent first, then any field that is not of it, then values. */
export function parseBeacon(fields: Readonly<Record<string, unknown>>): ParsedBeacon | BeaconFault {
  if (fields.consent !== true)
    return {
      reason: 'no_consent',
      field: 'consent',
      message: 'A beacon has to say consent: true, by the choice of its visitor.',
    };
  for (const field of Object.keys(fields)) if (!FIELDS.has(field)) return invalid(tellable(field), 'is not a field of a beacon');
  const place = readPlace(fields);
  if (isFault(place)) return place;
  const vitals = readVitals(fields.vitals);
  if (isFault(vitals)) return vitals;
  const errors = readCount(fields, 'errors');
  if (isFault(errors)) return errors;
  const failedRequests = readCount(fields, 'failed_requests');
  if (isFault(failedRequests)) return failedRequests;
  return { ...place, vitals, errors, failedRequests };
}
