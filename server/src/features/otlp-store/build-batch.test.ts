import { crc32 } from 'node:zlib';
import { createLogBuilder, createSpanBuilder, giveBlocks } from '@svc/otlp-wire/rows';
import { expect, test } from 'vitest';
import { buildBatch } from './build-batch.ts';
import { type BuildRequest, DamagedMessage, MESSAGE_NUMBERS } from './messages.ts';
import { numberedSpans } from './test-requests.ts';

const nowMs = Date.now();
const HEAD = Buffer.from('what a bus puts before a value');
const SPANS = 3;

/** A batch of requests of three spans, each with a checksum that is wrong where told. */
function requestOf(bodies: readonly Buffer[], wrong = -1, signal: BuildRequest['signal'] = 'traces'): BuildRequest {
  const memory = new SharedArrayBuffer(bodies.reduce((sum, body) => sum + body.length, 0));
  const into = Buffer.from(memory);
  let used = 0;
  const numbers = bodies.flatMap((body, i) => {
    const start = used;
    used += body.copy(into, start);
    const seed = crc32(HEAD);
    return [0, 0, start, used, nowMs, i, 0, seed, i === wrong ? 1 : crc32(body, seed)];
  });
  const tenants = [{ tenant: 'acme', large: true }];
  const messages = Float64Array.from(numbers);
  return { kind: 'build', id: 0, signal, partition: 0, memory: [memory], tenants, messages, stored: new Map() };
}

const bodies = Array.from({ length: 4 }, (_, number) => numberedSpans({ number, spans: SPANS, nowMs }));

test('builds what has the right checksums, and again without what is no request', () => {
  const { counts, refused } = buildBatch(createSpanBuilder(), requestOf(bodies));
  expect([counts.get('acme')?.rows, refused]).toEqual([4 * SPANS, []]);
  const strange = bodies.with(2, Buffer.from('no request'));
  const rest = buildBatch(createSpanBuilder(), requestOf(strange));
  expect([rest.counts.get('acme')?.rows, rest.refused]).toEqual([3 * SPANS, [2]]);
});

test('builds nothing where a checksum is wrong, and goes on with the next batch', () => {
  const builder = createSpanBuilder();
  expect(() => buildBatch(builder, requestOf(bodies, 3))).toThrow(DamagedMessage);
  builder.reset();
  expect(buildBatch(builder, requestOf(bodies)).counts.get('acme')?.rows).toBe(4 * SPANS);
});

const RECORDS = 600_000;

/** Log records without a byte in them, in one scope. */
function emptyRecords(): Buffer {
  const records = Buffer.alloc(2 * RECORDS);
  for (let at = 0; at < records.length; at += 2) records[at] = 18;
  const head = Buffer.alloc(10);
  head[0] = 10;
  head.writeUInt32LE(varintOf(records.length + 5), 1);
  head[5] = 18;
  head.writeUInt32LE(varintOf(records.length), 6);
  return Buffer.concat([head, records]);
}

/** Four bytes of a varint, as they lie in memory. */
const varintOf = (value: number): number =>
  (value & 127) |
  128 |
  (((value >> 7) & 127) << 8) |
  (1 << 15) |
  (((value >> 14) & 127) << 16) |
  (1 << 23) |
  ((value >> 21) << 24);

/** The rest of a batch, as the consumer asks for it. */
function after({ messages, ...request }: BuildRequest, taken: number): BuildRequest {
  return { ...request, messages: messages.slice(taken * MESSAGE_NUMBERS) };
}

test('a batch of more rows than may be held is built in parts, and none is lost', () => {
  const builder = createLogBuilder();
  const request = requestOf([1, 2, 3].map(emptyRecords), -1, 'logs');
  const first = buildBatch(builder, request);
  expect([first.taken, first.counts.get('acme')?.rows, first.refused]).toEqual([1, RECORDS, []]);
  expect(first.blocks.map(({ rows }) => rows)).toEqual([RECORDS]);
  giveBlocks(first.blocks);
  const second = buildBatch(builder, after(request, 1));
  expect([second.taken, second.counts.get('acme')?.rows]).toEqual([1, RECORDS]);
  giveBlocks(second.blocks);
});

/** A builder that cannot build messages with an odd offset, and counts those that it is given. */
function createPicky() {
  const builder = createSpanBuilder();
  const add = builder.add.bind(builder);
  const given = { messages: 0 };
  builder.add = (message) => {
    given.messages++;
    add(message);
    if (message.offsetLow % 2 === 1) throw new Error('as a fault of the builder would');
  };
  return { builder, given };
}

test('all messages that cannot be built are found in one pass, and cost the others no more than being built again', () => {
  const many = Array.from({ length: 200 }, (_, number) => numberedSpans({ number, spans: SPANS, nowMs }));
  const { builder, given } = createPicky();
  const { counts, refused, taken } = buildBatch(builder, requestOf(many));
  expect(refused).toEqual(Array.from({ length: 100 }, (_, i) => 2 * i + 1));
  expect([counts.get('acme')?.rows, taken]).toEqual([100 * SPANS, 200]);
  expect(given.messages).toBeLessThanOrEqual(2 + 200 + 100);
});
