import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { SIGNALS } from '@svc/otlp-wire/signal';
import { decodeConforming, lookupType } from '@svc/otlp-wire/test-conforming';
import type { Signal } from '@svc/otlp-wire/walk';
import protobuf from 'protobufjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '#kernel';
import { type Answered, callGrpc, makeRequest, postHttp, type Sent, toOtlpJson } from './test-clients.ts';
import { startTestReceiver, TABLE, type TestReceiver, TOKENS } from './test-receiver.ts';

const MAX_BYTES = 256 * 1024;

let test: TestReceiver;
beforeAll(async () => {
  test = await startTestReceiver({ maxBytes: MAX_BYTES });
});
afterAll(async () => await test?.receiver.drain());
beforeEach(async () => {
  await test.receiver.report();
  test.published.length = 0;
  test.reports.length = 0;
  test.bus.fails = undefined;
});

const token = TOKENS.acme;
const good = makeRequest('traces');
const oldest = 16 * 86_400_000;
const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
const lyingBomb = Buffer.from(bomb);
lyingBomb.writeUInt32LE(10, lyingBomb.length - 4);

interface Case {
  name: string;
  sent: Sent;
  http: number;
  grpc: number;
  retries?: boolean;
  says?: RegExp;
  reason?: string;
}

/** One table for both transports: what is sent, and what each answers. */
const CASES: readonly Case[] = [
  { name: 'a good request', sent: { token, body: good }, http: 200, grpc: 0 },
  { name: 'an empty request', sent: { token, body: Buffer.alloc(0) }, http: 200, grpc: 0 },
  { name: 'no token', sent: { body: good }, http: 401, grpc: 16, reason: 'missing_token' },
  { name: 'a token of nobody', sent: { token: 'wrong', body: good }, http: 401, grpc: 16, reason: 'unknown_token' },
  { name: 'an expired token', sent: { token: TOKENS.expired, body: good }, http: 401, grpc: 16, reason: 'expired_token' },
  { name: 'a revoked token', sent: { token: TOKENS.revoked, body: good }, http: 401, grpc: 16, reason: 'revoked_token' },
  { name: 'another scheme', sent: { headers: { authorization: `Basic ${token}` }, body: good }, http: 401, grpc: 16 },
  {
    name: "another tenant's resource",
    sent: { token, body: Buffer.concat([good, makeRequest('traces', { tenant: 'other' })]) },
    ...{ http: 403, grpc: 7, says: /resource.*1|1.*resource/i, reason: 'wrong_tenant' },
  },
  { name: 'a broken request', sent: { token, body: good.subarray(0, -3) }, http: 400, grpc: 3, reason: 'malformed' },
  { name: 'noise', sent: { token, body: Buffer.from('not protobuf') }, http: 400, grpc: 3, reason: 'malformed' },
  { name: 'too much', sent: { token, body: Buffer.alloc(MAX_BYTES + 1) }, http: 413, grpc: 8, reason: 'too_large' },
];

const SENDERS: readonly (readonly [string, (sent: Sent) => Promise<Answered>, 'http' | 'grpc'])[] = [
  ['http', (sent) => postHttp(test, sent), 'http'],
  ['gRPC', (sent) => callGrpc(test, sent), 'grpc'],
];

const packed = (sent: Sent, kind: 'http' | 'grpc', body: Buffer = gzipSync(sent.body)): Sent => ({
  ...sent,
  body,
  isCompressed: true,
  headers: { ...sent.headers, [kind === 'http' ? 'content-encoding' : 'grpc-encoding']: 'gzip' },
});

/** google/rpc/status.proto and error_details.proto, as far as the receiver uses them. */
const { root } = protobuf.parse(`syntax = "proto3"; package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Duration { int64 seconds = 1; }
  message RetryInfo { Duration retry_delay = 1; }`);

interface Status {
  code: number;
  message: string;
  retryDelay: string | undefined;
}

function readStatus(bytes: Buffer): Status {
  const status = root.lookupType('google.rpc.Status').decode(bytes).toJSON() as {
    code: number;
    message: string;
    details?: { typeUrl: string; value: string }[];
  };
  const [info] = status.details ?? [];
  expect(info?.typeUrl ?? 'type.googleapis.com/google.rpc.RetryInfo').toBe('type.googleapis.com/google.rpc.RetryInfo');
  const retry = info && root.lookupType('google.rpc.RetryInfo').decode(Buffer.from(info.value, 'base64')).toJSON();
  return { code: status.code, message: status.message, retryDelay: retry?.retryDelay.seconds };
}

const statusOf = ({ headers, body }: Answered, kind: 'http' | 'grpc'): Status =>
  readStatus(kind === 'http' ? body : Buffer.from(String(headers['grpc-status-details-bin']), 'base64'));

describe.each(SENDERS)('over %s', (_name, send, kind) => {
  it.each(CASES)('$name', async ({ sent, says, reason, ...expected }) => {
    const answer = await send(sent);
    expect(answer.status).toBe(expected[kind]);
    if (expected.grpc === 0) {
      expect(answer.body).toHaveLength(0);
      return;
    }
    expect(test.published).toEqual([]);
    const status = statusOf(answer, kind);
    expect(status).toMatchObject({ code: expected.grpc, retryDelay: undefined });
    if (says) expect(status.message).toMatch(says);
    expect(answer.headers['retry-after']).toBeUndefined();
    await test.receiver.report();
    if (reason) expect(test.reports.flatMap(({ refusals }) => refusals)).toMatchObject([{ reason, count: 1 }]);
  });

  it.each(SIGNALS)('publishes %s stamped with the tenant of the token, by itself and out of gzip', async (signal) => {
    const sent = { signal, token, body: makeRequest(signal) };
    expect((await send(sent)).status).toBe(kind === 'http' ? 200 : 0);
    expect((await send(packed(sent, kind))).status).toBe(kind === 'http' ? 200 : 0);
    expect(test.published).toHaveLength(2);
    for (const { topic, message } of test.published) {
      expect(topic).toBe(`svc.otlp.${signal}`);
      expect(message.tenant).toBe('acme');
      expect(Number(message.headers?.at)).toBeGreaterThan(Date.now() - 10_000);
      const text = JSON.stringify(decodeConforming(signal, message.value));
      expect(text).toContain('{"key":"svc.tenant.id","value":{"string_value":"acme"}}');
      expect(text).toContain('shop');
    }
    await test.receiver.report();
    const uses = test.reports.flatMap((report) => report.uses);
    expect(uses.reduce((sum, use) => sum + use.items, 0)).toBe(2);
    expect(uses[0]).toMatchObject({ tenant: 'acme', tokenId: 'a', signal });
  });

  it('keeps what names its own tenant as it is', async () => {
    const body = makeRequest('logs', { tenant: 'other' });
    expect((await send({ signal: 'logs', token: TOKENS.other, body })).status).toBe(kind === 'http' ? 200 : 0);
    expect(test.published[0]?.message).toMatchObject({ tenant: 'other', value: body });
  });

  it('tells what is too old as partial success and counts it', async () => {
    const body = Buffer.concat([good, makeRequest('traces', { ageMs: oldest })]);
    const answer = await send({ token, body });
    expect(answer.status).toBe(kind === 'http' ? 200 : 0);
    const response = lookupType('opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse').decode(answer.body).toJSON();
    expect(response.partial_success).toMatchObject({ rejected_spans: '1', error_message: expect.stringMatching(/15 days/) });
    expect(test.published).toHaveLength(1);
    await test.receiver.report();
    expect(test.reports.flatMap(({ refusals }) => refusals)).toMatchObject([{ tenant: 'acme', reason: 'out_of_time', count: 1 }]);
  });

  it.each([
    ['a bomb', bomb, 'too_large'],
    ['a bomb that lies about its size', lyingBomb, 'too_large'],
    ['no gzip at all', good, 'malformed'],
  ])('refuses %s', async (_what, body, reason) => {
    const answer = await send(packed({ token, body }, kind, Buffer.from(body)));
    const expected = { too_large: { http: 413, grpc: 8 }, malformed: { http: 400, grpc: 3 } }[reason];
    expect(answer.status).toBe(expected?.[kind]);
    expect(statusOf(answer, kind).retryDelay).toBeUndefined();
  });

  it('asks to come again when the bus does not take it', async () => {
    test.bus.fails = new AppError('unavailable', 'full', { retryAfterSeconds: 7 });
    const answer = await send({ token, body: good });
    expect(answer.status).toBe({ http: 503, grpc: 14 }[kind]);
    expect(statusOf(answer, kind)).toMatchObject({ code: 14, retryDelay: '7' });
    if (kind === 'http') expect(answer.headers['retry-after']).toBe('7');
  });

  it('shows the resource of what it refused, and nothing else of it', async () => {
    const findExample = async () => {
      await send({ token, body: makeRequest('traces', { tenant: 'other' }) });
      await test.receiver.report();
      return test.reports.flatMap(({ refusals }) => refusals).find(({ resource }) => resource)?.resource;
    };
    // An example is taken once a second.
    await expect.poll(findExample, { timeout: 3000 }).toEqual({ 'service.name': 'shop', 'svc.tenant.id': 'other' });
    expect(JSON.stringify(test.reports)).not.toContain('GET /cart');
  });

  it('judges the very next request by new tokens', async () => {
    try {
      await test.receiver.setTokens({ ...TABLE, entries: TABLE.entries.map((entry) => ({ ...entry, revoked: true })) });
      expect((await send({ token, body: good })).status).toBe({ http: 401, grpc: 16 }[kind]);
    } finally {
      await test.receiver.setTokens(TABLE);
    }
    expect((await send({ token, body: good })).status).toBe({ http: 200, grpc: 0 }[kind]);
  });
});

it('keeps requests apart that come at the same time, of any size, stamped and not, packed and not', async () => {
  const sizes = [0, 10, 3000, 16_300, 16_400, 70_000];
  const expected: string[] = [];
  const sending = Array.from({ length: 120 }, async (_, i) => {
    const service = `service-${i}-${'y'.repeat(sizes[i % sizes.length] ?? 0)}`;
    expected.push(service);
    const body = makeRequest('traces', { service, ...(i % 2 ? { tenant: 'acme' } : {}) });
    const kind = i % 3 ? 'http' : 'grpc';
    const sent = i % 5 ? { token, body } : packed({ token, body }, kind);
    return (await (kind === 'http' ? postHttp(test, sent) : callGrpc(test, sent))).status;
  });
  expect(new Set(await Promise.all(sending))).toEqual(new Set([0, 200]));
  const names = test.published.map(({ message }) => {
    const {
      resource_spans: [item],
    } = decodeConforming('traces', message.value) as { resource_spans: [{ resource: unknown }] };
    const { attributes } = item.resource as { attributes: { key: string; value: { string_value: string } }[] };
    expect(attributes.map(({ key }) => key).sort()).toEqual(['service.name', 'svc.tenant.id']);
    return attributes.find(({ key }) => key === 'service.name')?.value.string_value;
  });
  expect(names.sort()).toEqual(expected.sort());
});

describe('of HTTP alone', () => {
  it.each(SIGNALS)('takes %s as JSON and answers in JSON', async (signal: Signal) => {
    const body = toOtlpJson(signal, makeRequest(signal));
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const answer = await postHttp(test, { signal, token, body, headers });
    expect([answer.status, answer.headers['content-type'], answer.body.toString()]).toEqual([200, 'application/json', '{}']);
    expect(JSON.stringify(decodeConforming(signal, test.published[0]?.message.value as Buffer))).toContain('shop');
    const refused = await postHttp(test, { signal, token, body: body.subarray(1), headers });
    expect([refused.status, JSON.parse(refused.body.toString())]).toMatchObject([400, { code: 3 }]);
    test.bus.fails = new AppError('unavailable', 'full', { retryAfterSeconds: 7 });
    const later = JSON.parse((await postHttp(test, { signal, token, body, headers })).body.toString());
    expect(later.details).toEqual([{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }]);
  });

  it.each([
    ['another path', { path: '/v1/profiles' }, 404],
    ['another method', { method: 'GET' }, 405],
    ['another type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['another encoding', { headers: { 'content-encoding': 'br' } }, 415],
  ])('refuses %s', async (_what, change, status) => {
    expect((await postHttp(test, { token, body: good, ...change })).status).toBe(status);
  });

  it('takes a body without a length, and asks for one behind a good token alone', async () => {
    const chunked = { 'transfer-encoding': 'chunked' };
    expect((await postHttp(test, { token, body: good, headers: chunked })).status).toBe(200);
    expect((await postHttp(test, { token, body: Buffer.alloc(MAX_BYTES + 1), headers: chunked })).status).toBe(413);
    const careful = { expect: '100-continue' };
    expect((await postHttp(test, { token, body: good, headers: careful })).status).toBe(200);
    expect((await postHttp(test, { token: 'wrong', body: good, headers: careful })).status).toBe(401);
  });
});

describe('of gRPC alone', () => {
  it.each([
    ['a method of nobody', { path: '/grpc.health.v1.Health/Check' }, 12],
    ['an encoding of nobody', { headers: { 'grpc-encoding': 'zstd' } }, 12],
    ['compressed without an encoding', { isCompressed: true }, 3],
    ['a timeout that is none', { headers: { 'grpc-timeout': 'soon' } }, 3],
  ])('refuses %s', async (_what, change, status) => {
    const answer = await callGrpc(test, { token, body: good, ...change });
    expect(answer.status).toBe(status);
    expect(decodeURIComponent(String(answer.headers['grpc-message']))).toBe(statusOf(answer, 'grpc').message);
  });

  it('dates each answer', async () => {
    const dateOf = async () => (await callGrpc(test, { token, body: good })).headers.date;
    const first = await dateOf();
    await sleep(1100);
    expect(await dateOf()).not.toBe(first);
  });

  it('keeps the deadline of the caller', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    test.bus.waits = promise;
    const answer = await callGrpc(test, { token, body: good, headers: { 'grpc-timeout': '50m' } });
    expect(answer.status).toBe(4);
    test.bus.waits = undefined;
    resolve();
  });

  it('tells what is no gRPC in the words of HTTP', async () => {
    const answer = await callGrpc(test, { token, body: good, headers: { 'content-type': 'application/json' } });
    expect(answer.headers[':status']).toBe(415);
  });
});
