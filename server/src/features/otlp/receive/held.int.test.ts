import { expect, onTestFinished, test } from 'vitest';
import { encodeConforming } from '../wire/test-conforming.ts';
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
