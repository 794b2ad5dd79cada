import type { Signal } from './index.ts';
import { sizeOfVarint, writeVarint } from './varint.ts';

/** A valid request that makes as much as it can of the bytes it has. */
export interface Amplifier {
  name: string;
  signal: Signal;
  /** As protobuf, of so many bytes at most. */
  make(bytes: number, nowMs: number): Buffer;
}

const EMPTY = Buffer.alloc(0);
const DAY_MS = 86_400_000;

/** A field with a length; `tag` includes the wire type. */
function field(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const head = Buffer.alloc(sizeOfVarint(tag) + sizeOfVarint(content.length));
  writeVarint(head, content.length, writeVarint(head, tag, 0));
  return Buffer.concat([head, content]);
}

function fixed64(tag: number, value: bigint): Buffer {
  const out = Buffer.alloc(9);
  out[0] = tag;
  out.writeBigUInt64LE(value, 1);
  return out;
}

const time = (tag: number, ms: number): Buffer => fixed64(tag, BigInt(ms) * 1_000_000n);
const text = (tag: number, value: string): Buffer => field(tag, Buffer.from(value));
const attribute = (tag: number, key: string, value: string): Buffer => field(tag, text(10, key), field(18, text(10, value)));
/** What repeats, as often as it fits. */
const fill = (bytes: number, part: Buffer): Buffer => Buffer.alloc(Math.floor(bytes / part.length) * part.length, part);
/** The same with a number in each. */
function fillNumbered(bytes: number, part: (i: number) => Buffer): Buffer {
  const parts: Buffer[] = [];
  let size = 0;
  for (let i = 0; ; i++) {
    const next = part(i);
    size += next.length;
    if (size > bytes) return Buffer.concat(parts);
    parts.push(next);
  }
}

/** 127 attributes that take so many bytes together. */
const attributes = (tag: number, bytes: number): Buffer =>
  Buffer.concat(
    Array.from({ length: 127 }, (_, i) => attribute(tag, `k${i}`, 'v'.repeat(Math.max(1, Math.floor(bytes / 127) - 12)))),
  );

interface Around {
  resource?: Buffer;
  scope?: Buffer;
  schema?: Buffer;
}

/** A request of one resource and scope. */
const around = (records: Buffer, { resource = EMPTY, scope = EMPTY, schema = EMPTY }: Around = {}): Buffer =>
  field(10, field(10, resource), field(18, field(10, scope), records, field(26, schema)));

const span = (nowMs: number, ...parts: Buffer[]): Buffer => field(18, time(57, nowMs), ...parts);
const gauge = (points: Buffer, name = 'm'): Buffer => field(18, text(10, name), field(42, points));
const point = (nowMs: number, ...parts: Buffer[]): Buffer => field(10, time(25, nowMs), fixed64(49, 1n), ...parts);
const nested = (depth: number, content: Buffer): Buffer =>
  depth === 0 ? content : field(42, field(10, nested(depth - 1, content)));
const ENTITY = (bytes: number): Buffer => fill(bytes, field(26, text(10, 's'.repeat(2000)), text(18, 't'.repeat(2000))));
/** Of 30 attributes, each byte of the request one of what repeats it. */
const half = (bytes: number): number => Math.floor(bytes / 2);

const TRACES: Record<string, Amplifier['make']> = {
  'spans of eleven bytes under 127 attributes': (bytes, now) =>
    around(fill(bytes - 4096, span(now)), { resource: attributes(10, 2000) }),
  'one span of empty events': (bytes, now) => around(span(now, fill(bytes - 100, field(90)))),
  'spans of empty events': (bytes, now) => around(fill(bytes - 100, span(now, fill(2000, field(90))))),
  'one span of empty links': (bytes, now) => around(span(now, fill(bytes - 100, field(106)))),
  'one span of links that dropped one attribute': (bytes, now) =>
    around(span(now, fill(bytes - 100, field(106, Buffer.from([40, 1]))))),
  'links of empty attributes': (bytes, now) => around(span(now, fill(bytes - 100, field(106, field(34))))),
  'spans of empty attributes': (bytes, now) => around(fill(bytes - 100, span(now, fill(2000, field(74))))),
  'a large resource on sixteen days': (bytes, now) =>
    fillNumbered(bytes, () =>
      around(Buffer.concat(Array.from({ length: 15 }, (_, i) => span(now - i * DAY_MS))), { resource: attributes(10, 400_000) }),
    ),
  'scopes under entities of half the request': (bytes, now) =>
    field(
      10,
      field(10, ENTITY(half(bytes))),
      fillNumbered(half(bytes) - 1000, (i) => field(18, span(now), text(26, `s${i}`))),
    ),
  'an attribute that is a list of a million': (bytes, now) =>
    around(span(now, field(74, text(10, 'k'), field(18, field(42, fill(bytes - 100, field(10))))))),
  'an attribute that is a map of a million': (bytes, now) =>
    around(span(now, field(74, text(10, 'k'), field(18, field(50, fill(bytes - 100, field(10))))))),
  'resources without anything': (bytes) => fill(bytes, field(10)).subarray(0, 2 * 65_536),
  'scopes without anything': (bytes) => field(10, fill(bytes - 10, field(18))),
};

const LOGS: Record<string, Amplifier['make']> = {
  'empty records under 127 attributes': (bytes) => around(fill(bytes - 4096, field(18)), { resource: attributes(10, 2000) }),
  'empty records': (bytes) => around(fill(bytes - 100, field(18))),
  'empty records, each in a scope': (bytes) =>
    field(10, field(10, attributes(10, 2000)), fill(bytes - 4096, field(18, field(18)))),
  'bodies nested 20 deep in lists': (bytes) => around(fill(bytes - 100, field(18, field(42, nested(20, fill(4000, field(10))))))),
  'a body that is a map of a million': (bytes) => around(field(18, field(42, field(50, fill(bytes - 100, field(10)))))),
  'texts of their own': (bytes) => around(fillNumbered(bytes - 100, (i) => field(18, text(26, `${i}`)))),
};

const METRICS: Record<string, Amplifier['make']> = {
  'series under a resource of half the request': (bytes, now) =>
    around(gauge(fillNumbered(half(bytes) - 1000, (i) => point(now, attribute(58, 'i', `${i}`)))), {
      resource: attributes(10, half(bytes)),
    }),
  'series under a scope of half the request': (bytes, now) =>
    around(gauge(fillNumbered(half(bytes) - 1000, (i) => point(now, attribute(58, 'i', `${i}`)))), {
      scope: attributes(26, half(bytes)),
    }),
  'metrics under entities of half the request': (bytes, now) =>
    around(
      fillNumbered(half(bytes) - 1000, (i) => gauge(point(now), `m${i}`)),
      { resource: ENTITY(half(bytes)) },
    ),
  'metrics under a schema of half the request': (bytes, now) =>
    around(
      fillNumbered(half(bytes) - 1000, (i) => gauge(point(now), `m${i}`)),
      { schema: Buffer.alloc(half(bytes), 's') },
    ),
  'series of points as small as can be': (bytes, now) =>
    around(gauge(fillNumbered(bytes - 100, (i) => point(now, attribute(58, '', `${i}`))))),
  'series under a description of half the request': (bytes, now) =>
    around(
      field(
        18,
        text(10, 'm'),
        text(18, 'd'.repeat(half(bytes))),
        field(
          42,
          fillNumbered(half(bytes) - 1000, (i) => point(now, attribute(58, '', `${i}`))),
        ),
      ),
    ),
  'names and units of a thousand words': (bytes, now) =>
    around(
      fillNumbered(bytes - 100, (i) =>
        field(18, text(10, `${'a '.repeat(490)}${i}`), text(26, `${'a '.repeat(480)}b`), field(42, point(now))),
      ),
    ),
  'metrics with metadata of 4 KiB': (bytes, now) =>
    around(
      fillNumbered(bytes - 100, (i) =>
        field(18, text(10, `m${i}`), field(42, point(now)), attribute(98, 'k', '\u0001'.repeat(4096))),
      ),
    ),
  'exponential buckets of a byte each': (bytes, now) =>
    around(field(18, field(82, field(10, time(25, now), field(66, field(18, Buffer.alloc(bytes - 100, 1))))))),
  'histograms of eleven bytes': (bytes, now) => around(field(18, field(74, fill(bytes - 100, field(10, time(25, now)))))),
  'buckets of one histogram': (bytes, now) => {
    const count = Math.floor(bytes / 16) - 20;
    const bounds = Buffer.alloc(count * 8);
    for (let i = 0; i < count; i++) bounds.writeDoubleLE(i, i * 8);
    return around(field(18, field(74, field(10, time(25, now), field(50, Buffer.alloc(count * 8 + 8)), field(58, bounds)))));
  },
  'empty quantiles of a summary': (bytes, now) =>
    around(field(18, field(90, field(10, time(25, now), fill(bytes - 100, field(50)))))),
  'exemplars of one point': (bytes, now) =>
    around(gauge(point(now, fill(bytes - 100, field(42, time(17, now), fixed64(49, 1n)))))),
};

const of = (signal: Signal, makers: Record<string, Amplifier['make']>): Amplifier[] =>
  Object.entries(makers).map(([name, make]) => ({ name, signal, make }));

/** What a hostile sender with a valid token may send: each makes much of memory, rows, stored bytes or time out of few bytes. */
export const AMPLIFIERS: readonly Amplifier[] = [...of('traces', TRACES), ...of('logs', LOGS), ...of('metrics', METRICS)];
