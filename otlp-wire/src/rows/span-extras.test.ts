import { ByteSink } from '@svc/bytes';
import { parseSpanExtras } from '@svc/contracts/otlp/span-extras';
import { expect, test } from 'vitest';
import { lookupType } from '../walk/test-conforming.ts';
import { SpanExtras } from './span-extras.ts';
import { WireReader } from './wire-reader.ts';

const Span = lookupType('opentelemetry.proto.trace.v1.Span');
const attribute = (key: string, text: string) => ({ key, value: { string_value: text } });

function write(fields: object, into = new SpanExtras()): { text: string; cut: boolean } {
  const reader = new WireReader();
  reader.open(Buffer.from(Span.encode(Span.fromObject(fields)).finish()));
  into.reset();
  const cut = into.addOf(reader, { begin: 0, end: reader.bytes.length });
  const sink = new ByteSink();
  into.writeBody(sink);
  const written = new WireReader();
  written.open(sink.view());
  const size = written.varint();
  return { text: written.bytes.toString('utf8', written.at, written.at + size), cut };
}

test('a block in which no span has any says so', () => {
  const extras = new SpanExtras();
  extras.addNothing();
  extras.addNothing();
  expect([extras.length, extras.hasAny]).toEqual([2, false]);
  write({ dropped_links_count: 1 }, extras);
  expect(extras.hasAny).toBe(true);
  extras.reset();
  expect(extras.hasAny).toBe(false);
});

test('what is empty is not written', () => {
  expect(write({ dropped_links_count: 3 }).text).toBe('{"droppedLinksCount":3}');
  expect(write({ links: [{}, { flags: 1 }] }).text).toBe('{"links":[{},{"flags":1}]}');
  expect(write({ events: [{}, { name: 'a' }] }).text).toBe('');
  const within = write({ events: [{}, { dropped_attributes_count: 4 }, {}], links: [{ trace_state: 'a"' }] });
  expect(within.text).toBe('{"links":[{"traceState":"a\\""}],"droppedOfEvents":[0,4]}');
});

test('an id that has not the width of one is none', () => {
  const links = [{ trace_id: Buffer.alloc(15, 1), span_id: Buffer.alloc(9, 1) }, { trace_id: Buffer.alloc(16, 1) }];
  const read = parseSpanExtras(write({ links }).text);
  expect(read.links.map(({ traceId, spanId }) => [traceId, spanId])).toEqual([
    ['0'.repeat(32), '0'.repeat(16)],
    ['01'.repeat(16), '0'.repeat(16)],
  ]);
});

test('the bounds of a record hold for each link by itself, which is marked', () => {
  const many = Array.from({ length: 130 }, (_, i) => attribute(`k${i}`, 'v'));
  const { text, cut } = write({ links: [{ attributes: many }, { attributes: [attribute('a', 'b')] }] });
  expect(cut).toBe(true);
  const [first, second] = parseSpanExtras(text).links;
  expect(first?.attributes.keys).toHaveLength(129);
  expect(first?.attributes).toMatchObject({ types: `${'s'.repeat(128)}b` });
  expect(first?.attributes.keys.at(-1)).toBe('svc.truncated');
  expect(second?.attributes).toEqual({ keys: ['a'], values: ['b'], types: 's' });
  const long = write({ links: [{ attributes: [attribute('long', 'é'.repeat(4000))] }] });
  expect(long.cut).toBe(true);
  expect(Buffer.byteLength(parseSpanExtras(long.text).links[0]?.attributes.values[0] ?? '')).toBe(4096);
  expect(write({ links: [{ flags: 2 }] }).cut).toBe(false);
});

test('as many links as a message holds take little more room than they came in', () => {
  const { text } = write({ links: Array.from({ length: 100_000 }, () => ({})) });
  expect(text).toHaveLength(300_011);
});
