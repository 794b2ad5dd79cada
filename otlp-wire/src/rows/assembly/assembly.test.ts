import { ByteSink, type EncodedColumn } from '@svc/bytes';
import type { Type } from 'protobufjs';
import { expect, test } from 'vitest';
import { lookupType } from '../../walk/test-conforming.ts';
import { seedRandom } from '../../walk/test-requests.ts';
import { AttributeMap, MAX_ATTRIBUTES } from '../attribute-map.ts';
import type { BuildMessage } from '../builder.ts';
import { LogBlock } from '../log-block.ts';
import { LogFacts } from '../log-facts.ts';
import { SpanBlock } from '../span-block.ts';
import { SpanFacts } from '../span-facts.ts';
import { BuildFault, WireReader } from '../wire-reader.ts';
import { openMessage } from './instance.ts';

type Values = Readonly<Record<string, unknown>>[];

const ATTRIBUTE = 74;
const { unit, below, pick } = seedRandom(31);
const textOf = (length: number): string => Array.from({ length }, () => pick(['a', 'B', '7', ' ', 'é', '€', '😀'])).join('');

/** What the assembly writes itself, and what it asks for. */
const VALUES: (() => unknown)[] = [
  () => ({ string_value: textOf(below(40)) }),
  () => ({ string_value: 'x'.repeat(pick([0, 1, 7, 8, 9, 126, 127, 128, 129, 4095, 4096, 4097])) }),
  () => ({ bool_value: unit() < 0.5 }),
  () => ({ int_value: pick([0, 1, 9, 10, 127, 128, 99_999, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER, -1, -(2 ** 40)]) }),
  () => ({
    double_value: pick([0, -0, 0.01, 0.1, 12.5, 99.99, 1e21, 0.1 + 0.2, 21_474_836.47, 21_474_836.48, -3, Number.NaN, 5e-324]),
  }),
  () => ({ bytes_value: Buffer.alloc(below(20), 7) }),
  () => ({ array_value: { values: [{ string_value: 'a' }, { int_value: 3 }] } }),
  () => ({ kvlist_value: { values: [{ key: 'k', value: { bool_value: true } }] } }),
  () => ({}),
];
const KEYS = ['http.route', 'app.cart.total', 'enduser.id', 'k'.repeat(127), 'k'.repeat(128), '', 'schlüssel', 'x'];

const [Span, LogRecord] = ['trace.v1.Span', 'logs.v1.LogRecord'].map((name) => lookupType(`opentelemetry.proto.${name}`)) as [
  Type,
  Type,
];
const bytesOf = (type: Type, record: Readonly<Record<string, unknown>>): Buffer =>
  Buffer.from(type.encode(type.fromObject(record)).finish());

function encoded(values: EncodedColumn['values']): string {
  const sink = new ByteSink(64);
  values.writePrefix(sink);
  values.writeBody(sink);
  return sink.view().toString('latin1');
}

const columnOf = (columns: readonly EncodedColumn[], name: string): string =>
  encoded((columns.find((column) => column.name === name) as EncodedColumn).values);

/** Adds a span to a block of the assembly; whether something of it was cut. */
function addSpan(block: SpanBlock, bytes: Buffer): boolean {
  const reader = new WireReader();
  const facts = new SpanFacts();
  const end = openMessage(reader, bytes);
  facts.read(reader, end);
  return block.add(reader, facts);
}

/** The same attributes in the map that is not the assembly's. */
function addToMap(map: AttributeMap, bytes: Buffer): boolean {
  const reader = new WireReader();
  reader.open(bytes);
  while (reader.at < bytes.length) {
    const tag = reader.varint();
    if (tag === ATTRIBUTE) map.add(reader, reader.enter(bytes.length));
    else reader.skip(tag, bytes.length);
  }
  return map.endRow();
}

const spanWith = (attributes: Values): Buffer => bytesOf(Span, { name: 'GET /', start_time_unix_nano: 5, attributes });

function expectSame(spans: readonly Buffer[]): void {
  const [block, map] = [new SpanBlock(), new AttributeMap()];
  for (const bytes of spans) expect(addSpan(block, bytes)).toBe(addToMap(map, bytes));
  const columns = block.filled();
  expect(columnOf(columns, 'attributes')).toBe(encoded(map));
  expect(columnOf(columns, 'attribute_types')).toBe(encoded(map.types));
  block.release();
}

test('attributes of every kind are written as those are that the assembly does not write', () => {
  const attributes = () => Array.from({ length: below(12) }, () => ({ key: pick(KEYS), value: pick(VALUES)() }));
  expectSame(Array.from({ length: 400 }, () => spanWith(attributes())));
});

test('the 129th attribute is left out and the row says so; the next row does not', () => {
  const many = Array.from({ length: MAX_ATTRIBUTES + 1 }, (_, i) => ({ key: `key.${i}`, value: { int_value: i } }));
  const spans = [spanWith(many), spanWith(many.slice(1)), spanWith([])];
  expectSame(spans);
  const block = new SpanBlock();
  expect(spans.map((bytes) => addSpan(block, bytes))).toEqual([true, false, false]);
  block.release();
});

test.each([255, 256, 257, 66_000])('%i different keys have ids as wide as they need', (count) => {
  const perSpan = 100;
  const spans = Array.from({ length: Math.ceil(count / perSpan) }, (_, span) =>
    spanWith(
      Array.from({ length: Math.min(perSpan, count - span * perSpan) }, (_, i) => ({
        key: `key.${span * perSpan + i}`,
        value: { bool_value: true },
      })),
    ),
  );
  // Each once more: found again, not added again.
  expectSame([...spans, ...spans.toReversed()]);
});

test('a block that was reset begins with nothing of what it had', () => {
  const [used, fresh] = [new SpanBlock(), new SpanBlock()];
  addSpan(used, spanWith([{ key: 'old', value: { string_value: 'o'.repeat(9000) } }]));
  used.reset();
  for (const block of [used, fresh]) addSpan(block, spanWith([{ key: 'http.route', value: { string_value: '/new' } }]));
  const [one, other] = [used.filled(), fresh.filled()];
  for (const { name } of one) expect([name, columnOf(one, name)]).toEqual([name, columnOf(other, name)]);
  for (const block of [used, fresh]) block.release();
});

test('attributes with columns of their own: the newer name first, a callee by host and port', () => {
  const attributes = {
    'http.method': 'old',
    'http.request.method': 'PUT',
    'net.peer.name': '::1',
    'server.port': 8443,
    'http.response.status_code': 65_536,
  };
  const block = new SpanBlock();
  const bytes = bytesOf(Span, {
    kind: 3,
    start_time_unix_nano: 5,
    attributes: Object.entries(attributes).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { int_value: value } : { string_value: value },
    })),
  });
  addSpan(block, bytes);
  const columns = block.filled();
  expect(columnOf(columns, 'http_method')).toContain('\x03PUT');
  expect(columnOf(columns, 'http_method')).not.toContain('old');
  expect(columnOf(columns, 'peer')).toContain('\x0a[::1]:8443');
  // More than the column holds is none.
  expect(columnOf(columns, 'http_status')).toBe('\0\0');
  block.release();
});

test('a body that is no text is asked for, and one that is too long cut', () => {
  const message: BuildMessage = {
    tenant: 'acme',
    bytes: Buffer.alloc(0),
    at: 1,
    partition: 0,
    offsetLow: 0,
    offsetHigh: 0,
    large: false,
    stored: undefined,
  };
  const block = new LogBlock();
  const cuts = [{ int_value: -7 }, { string_value: 'y'.repeat(65_537) }, { string_value: 'z'.repeat(5000) }].map((body) => {
    const reader = new WireReader();
    const facts = new LogFacts();
    const end = openMessage(reader, bytesOf(LogRecord, { body }));
    facts.read(reader, end, message);
    return block.add(reader, facts);
  });
  expect(cuts).toEqual([false, true, false]);
  const body = columnOf(block.filled(), 'body');
  expect(body.startsWith('\x02-7\x80\x80\x04yy')).toBe(true);
  expect(body).toHaveLength(3 + 3 + 65_536 + 2 + 5000);
  block.release();
});

test('bytes that no walker let through end with a fault', () => {
  const block = new SpanBlock();
  for (const bytes of [[74, 127, 1], [57, 1, 2], [10, 0xff, 0xff, 0xff, 0xff, 0x0f], [11], Array(12).fill(0xff)])
    expect(() => addSpan(block, Buffer.from(bytes))).toThrow(BuildFault);
  block.release();
});
