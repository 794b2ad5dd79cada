import { Beacon } from '@svc/contracts/rum/beacon';
import { canonicalHost } from '@svc/contracts/rum/canonical-host';
import { openBody, parseBeacon } from './parse-beacon.ts';

/** The schema of contracts beside a reader of JSON that is written for nothing but to be right: what the one by hand is compared with. */

class NotJson extends Error {}

interface Reader {
  text: string;
  at: number;
}

const peek = ({ text, at }: Reader): string => text[at] ?? '';
function skip(reader: Reader): void {
  while (/[ \t\n\r]/.test(peek(reader))) reader.at++;
}
function expectWord(reader: Reader, word: string): void {
  if (!reader.text.startsWith(word, reader.at)) throw new NotJson();
  reader.at += word.length;
}
const STRING = /"(?:[\x20\x21\x23-\x5b\x5d-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const [found] = pattern.exec(reader.text) ?? [];
  if (found === undefined) throw new NotJson();
  reader.at += found.length;
  return found;
}

/** Members of objects as pairs, so that none can hide another. */
function readMembers(reader: Reader): Map<string, unknown> {
  const members = new Map<string, unknown>();
  expectWord(reader, '{');
  skip(reader);
  if (peek(reader) === '}') {
    reader.at++;
    return members;
  }
  for (;;) {
    skip(reader);
    const name = JSON.parse(take(reader, STRING)) as string;
    skip(reader);
    expectWord(reader, ':');
    if (members.has(name)) throw new NotJson();
    members.set(name, readValue(reader));
    skip(reader);
    if (peek(reader) === '}') break;
    expectWord(reader, ',');
  }
  reader.at++;
  return members;
}

function readItems(reader: Reader): unknown[] {
  const items: unknown[] = [];
  expectWord(reader, '[');
  skip(reader);
  if (peek(reader) === ']') {
    reader.at++;
    return items;
  }
  for (;;) {
    items.push(readValue(reader));
    skip(reader);
    if (peek(reader) === ']') break;
    expectWord(reader, ',');
  }
  reader.at++;
  return items;
}

function readValue(reader: Reader): unknown {
  skip(reader);
  const next = peek(reader);
  if (next === '{') return readMembers(reader);
  if (next === '[') return readItems(reader);
  if (next === '"') return JSON.parse(take(reader, STRING));
  for (const [word, value] of [
    ['true', true],
    ['false', false],
    ['null', null],
  ] as const) {
    if (!reader.text.startsWith(word, reader.at)) continue;
    reader.at += word.length;
    return value;
  }
  return Number(take(reader, NUMBER));
}

const toObject = (value: unknown): unknown => {
  if (!(value instanceof Map)) return Array.isArray(value) ? value.map(toObject) : value;
  const object = Object.create(null) as Record<string, unknown>;
  for (const [name, one] of value) object[name] = toObject(one);
  return object;
};

/** Whether the schema takes these bytes. */
export function isAcceptedBySchema(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const reader: Reader = { text, at: 0 };
    const value = readValue(reader);
    skip(reader);
    if (reader.at !== text.length || !(value instanceof Map)) return false;
    // A member of that name would be swallowed by the schema's own objects.
    const vitals = value.get('vitals');
    if (value.has('__proto__') || (vitals instanceof Map && vitals.has('__proto__'))) return false;
    const beacon = Beacon.safeParse({ ...(toObject(value) as object) });
    return beacon.success && canonicalHost(beacon.data.host) !== undefined && beacon.data.page.startsWith('/');
  } catch {
    return false;
  }
}

/** Whether ours does. */
export function isAccepted(bytes: Uint8Array): boolean {
  const { fields } = openBody(bytes);
  return fields !== undefined && !('reason' in parseBeacon(fields));
}

/** A generator of numbers that gives the same ones for a seed. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const GOOD = {
  ...{ v: 1, key: 'app_shop_1234567890abcdef', consent: true, host: 'shop.example', page: '/cart/42', browser: 'firefox' },
  vitals: { ttfb_ms: 120.5, fcp_ms: 300, lcp_ms: 900, inp_ms: 40, load_ms: 1200, cls: 0.02 },
  ...{ errors: 0, failed_requests: 1, sdk: '1.0.0' },
};

const NAMES = [
  ...['v', 'key', 'consent', 'host', 'page', 'browser', 'vitals', 'errors', 'failed_requests', 'sdk', 'lcp_ms', 'cls', 'inp_ms'],
  ...['user_id', 'email', 'ip', '__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'V', 'k\\u0065y', 'vitals.lcp_ms'],
];
const VALUES = [
  ...[
    '1',
    '0',
    '-1',
    '2',
    '1.5',
    '-0',
    '1e3',
    '1e400',
    '600000',
    '600000.1',
    '10000',
    '10001',
    '1000',
    '0.1e-5',
    '01',
    '+1',
    '.5',
    'NaN',
  ],
  ...[
    'true',
    'false',
    'null',
    '"true"',
    '"1"',
    '""',
    '[]',
    '{}',
    '[1]',
    '{"lcp_ms":1}',
    '{"a":{"b":[[[]]]}}',
    'Infinity',
    'undefined',
  ],
  ...[
    '"shop.example"',
    '"SHOP.example."',
    '"a..b"',
    '"-a"',
    '"127.0.0.1"',
    '"[::1]"',
    '"shop.example:8443"',
    '"münchen.example"',
    '"a b"',
  ],
  ...[
    '"/"',
    '"/a?b=c#d"',
    '"a"',
    '"//x"',
    '"/\\u0000"',
    '"/\\ud800"',
    '"chrome"',
    '"Chrome"',
    '"other"',
    `"${'x'.repeat(33)}"`,
    `"/${'y'.repeat(4095)}"`,
  ],
  ...[
    '{"lcp_ms":1,"lcp_ms":2}',
    '{"cls":-1}',
    '{"cls":1000.5}',
    '{"lcp":1}',
    '{"__proto__":1}',
    '{"ttfb_ms":"5"}',
    '{"inp_ms":null}',
  ],
];

type Random = ReturnType<typeof createRandom>;
const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

/** A beacon of members as text, so that it may name one twice and hold what no JSON does. */
function writeMembers(random: Random): string {
  const members = Object.entries(GOOD).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  for (let i = random(4); i > 0; i--) {
    const at = random(members.length + 1);
    const kind = random(5);
    if (kind === 0) members.splice(at, 1);
    else if (kind === 1) members.splice(at, 0, [pick(random, NAMES), pick(random, VALUES)]);
    else if (kind === 2 && members[at]) members[at] = [members[at][0], pick(random, VALUES)];
    else if (kind === 3 && members[at]) members[at] = [pick(random, NAMES), members[at][1]];
    else if (members[at]) members.push(members[at]);
  }
  const space = (): string => (random(500) === 0 ? '\u00a0' : pick(random, ['', '', '', ' ', '\n\t']));
  return `${space()}{${members.map(([name, value]) => `${space()}"${name}"${space()}:${value}`).join(',')}}${space()}`;
}

/** Bytes that are a beacon, nearly one, or nothing of the kind. */
export function makeBytes(random: Random): Uint8Array {
  const bytes = Buffer.from(writeMembers(random), 'utf8');
  const kind = random(8);
  if (kind === 0) for (let i = 1 + random(3); i > 0; i--) bytes[random(bytes.length)] = random(256);
  if (kind === 1) return bytes.subarray(0, random(bytes.length + 1));
  if (kind === 2) return Buffer.concat([bytes, Buffer.from(pick(random, [' ', 'x', '}', '\0', '{}', ',']))]);
  if (kind === 3) {
    const [from, to] = [random(bytes.length), random(bytes.length)];
    return Buffer.concat([bytes.subarray(0, Math.max(from, to)), bytes.subarray(Math.min(from, to))]);
  }
  if (kind === 4) return Buffer.concat([Buffer.from(pick(random, ['\ufeff', '[', '{"a":', '"', '\xff'])), bytes]);
  return bytes;
}
