import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { createSpanBuilder } from '../build/index.ts';
import { buildBatch } from './build-batch.ts';
import { type BuildRequest, DamagedMessage } from './messages.ts';
import { numberedSpans } from './test-requests.ts';

const nowMs = Date.now();
const HEAD = Buffer.from('what a bus puts before a value');
const SPANS = 3;

/** A batch of requests of three spans, each with a checksum that is wrong where told. */
function requestOf(bodies: readonly Buffer[], wrong = -1): BuildRequest {
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
  return { kind: 'build', id: 0, signal: 'traces', partition: 0, memory: [memory], tenants, messages, stored: new Map() };
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
