import { pino } from 'pino';
import { expect, test } from 'vitest';
import { parseTenantId, systemClock } from '#kernel';
import { signAck } from './sign-ack.ts';

const agent = { tenant: parseTenantId('acme'), agentId: '0199a0c1-0000-7000-8000-000000000001', fingerprint: '' };
const ack = { sequence: 1, accepted: 1, rejected: 0, rejected_reasons: [] };
const SIGNING_MS = 20;

function createDeps(sign: (text: string) => Buffer) {
  const taken: { tenant: string; ms: number }[] = [];
  const budget = { tookLoop: (tenant: string, ms: number) => void taken.push({ tenant, ms }) };
  const deps = { receiptSigner: async () => sign, budget, clock: systemClock, log: pino({ level: 'silent' }) };
  return { taken, deps };
}
const signSlowly = (): Buffer => {
  for (const start = performance.now(); performance.now() - start < SIGNING_MS; );
  return Buffer.from('signed');
};

test('what signing takes of the event loop counts as the time of its tenant, also where it fails', async () => {
  const { taken, deps } = createDeps(signSlowly);
  expect((await signAck(ack, { agent, digest: 'ab' }, deps)).receipt).toEqual(Buffer.from('signed'));
  const failing = createDeps(() => {
    signSlowly();
    throw new Error('no key');
  });
  expect(await signAck(ack, { agent, digest: 'ab' }, failing.deps)).toEqual(ack);
  for (const [one] of [taken, failing.taken]) {
    expect(one?.tenant).toBe('acme');
    expect(one?.ms).toBeGreaterThanOrEqual(SIGNING_MS);
  }
});

test('a batch without results gets no receipt', async () => {
  const { taken, deps } = createDeps(signSlowly);
  expect(await signAck(ack, { agent, digest: undefined }, deps)).toEqual(ack);
  expect(taken).toEqual([]);
});
