import { gzipSync } from 'node:zlib';
import { AMPLIFIERS } from '@svc/otlp-wire/test-amplifiers';
import { encodeConforming, lookupType } from '@svc/otlp-wire/test-conforming';
import { expect, onTestFinished, test } from 'vitest';
import { callGrpc, postHttp } from './test-clients.ts';
import { ACME, startTestReceiver, TOKENS } from './test-receiver.ts';

const HELD_MS = 400;

function bodyOf(bytes: number): Buffer {
  const attributes = [{ key: 'padding', value: { string_value: 'x'.repeat(bytes) } }];
  const span = { name: 'a', start_time_unix_nano: String(BigInt(Date.now()) * 1_000_000n), attributes };
  return encodeConforming('traces', { resource_spans: [{ scope_spans: [{ spans: [span] }] }] });
}

test('who brings more than is stored has the answer later, when it is durable already; nobody else waits', async () => {
  const asked: string[] = [];
  const test = await startTestReceiver({
    holdMs: (signal, tenant) => {
      asked.push(`${signal} ${tenant} ${test.published.length}`);
      return tenant === ACME ? HELD_MS : 0;
    },
  });
  onTestFinished(() => test.receiver.drain());
  const body = bodyOf(1);
  const timed = async (sending: Promise<{ status: number }>) => {
    const beganMs = performance.now();
    const { status } = await sending;
    return { status, ms: performance.now() - beganMs };
  };
  const held = timed(callGrpc(test, { body, token: TOKENS.acme }));
  while (test.published.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const others = await timed(postHttp(test, { body, token: TOKENS.other }));
  expect(others).toMatchObject({ status: 200 });
  expect(others.ms).toBeLessThan(HELD_MS);
  const late = await held;
  expect(late.status).toBe(0);
  expect(late.ms).toBeGreaterThanOrEqual(HELD_MS);
  expect(asked).toEqual(['traces acme 1', 'traces other 2']);
});

test('an answer that is held keeps nobody of the same tenant from their turn', async () => {
  const test = await startTestReceiver({ holdMs: (_, tenant) => (tenant === ACME ? HELD_MS : 0) });
  onTestFinished(() => test.receiver.drain());
  const large = bodyOf(700_000);
  // Beside others a tenant has two of these in hand.
  await postHttp(test, { body: bodyOf(1), token: TOKENS.other });
  const beganMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 12 }, () => postHttp(test, { body: large, token: TOKENS.acme })));
  const ms = performance.now() - beganMs;
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(test.published).toHaveLength(13);
  expect(ms).toBeGreaterThanOrEqual(HELD_MS);
  expect(ms).toBeLessThan(5 * HELD_MS);
});

test('a small gzip that expands is charged for what the store makes of it; an honest request for its bytes', async () => {
  const charged: number[] = [];
  const test = await startTestReceiver({ holdMs: (_, __, bytes) => charged.push(bytes) && 0 });
  onTestFinished(() => test.receiver.drain());
  const amplifier = AMPLIFIERS.find(({ name }) => name === 'empty records under 127 attributes');
  const body = gzipSync(amplifier?.make(100_000, Date.now()) as Buffer);
  expect(body.length).toBeLessThan(10_000);
  const { status } = await postHttp(test, {
    signal: 'logs',
    body,
    headers: { 'content-encoding': 'gzip' },
    token: TOKENS.acme,
  });
  await postHttp(test, { body: bodyOf(200_000), token: TOKENS.acme });
  expect(status).toBe(200);
  const [heavy, honest] = test.published;
  expect(charged[0]).toBeGreaterThan(8_000_000);
  expect(charged[0]).toBeLessThan(9_000_000);
  expect(charged[1]).toBe(honest?.message.value.length);
  expect(Number(heavy?.message.headers?.charge)).toBe(charged[0]);
  expect(honest?.message.headers).toEqual({ at: expect.any(String) });
});

test('an answer that warns rejects nothing, over both transports and as JSON', async () => {
  const test = await startTestReceiver({ warningOf: (_, tenant) => (tenant === ACME ? 'Points were left out.' : '') });
  onTestFinished(() => test.receiver.drain());
  const body = bodyOf(1);
  const span = { name: 'a', startTimeUnixNano: String(BigInt(Date.now()) * 1_000_000n) };
  const type = lookupType('opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse');
  const [http, grpc, json, other] = await Promise.all([
    postHttp(test, { body, token: TOKENS.acme }),
    callGrpc(test, { body, token: TOKENS.acme }),
    postHttp(test, {
      body: Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })),
      headers: { 'content-type': 'application/json' },
      token: TOKENS.acme,
    }),
    postHttp(test, { body, token: TOKENS.other }),
  ]);
  expect([http.status, grpc.status, json.status, other.status]).toEqual([200, 0, 200, 200]);
  for (const answer of [http, grpc])
    expect(type.decode(answer.body).toJSON()).toEqual({ partial_success: { error_message: 'Points were left out.' } });
  expect(other.body).toEqual(Buffer.alloc(0));
  const told = { partialSuccess: { rejectedSpans: '0', errorMessage: 'Points were left out.' } };
  expect(JSON.parse(json.body.toString())).toEqual(told);
  expect(test.published).toHaveLength(4);
});
