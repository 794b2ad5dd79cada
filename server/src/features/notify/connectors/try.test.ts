import { pino } from 'pino';
import { expect, test } from 'vitest';
import { type Ctx, createTenantTurns, parseTenantId } from '#kernel';
import { createTestProvider } from '../test-provider.ts';
import type { ConnectorsDeps } from './change.ts';
import { checkConnector, TRIALS } from './try.ts';

const { provider } = createTestProvider('ticket_b');
/** One at `silent.example` never answers. */
const check: typeof provider.check = async ({ url }) => {
  if (url.includes('silent')) await new Promise(() => undefined);
  return { is: 'sent', reference: null, said: 'ok' };
};
const deps = {
  providers: { ticket_b: { ...provider, check } },
  trials: createTenantTurns(TRIALS),
  log: pino({ level: 'silent' }),
} as unknown as ConnectorsDeps;

const ask = (tenant: string, url: string) => {
  const principal = { kind: 'account' as const, id: 'ann', tenant: parseTenantId(tenant), permissions: new Set<never>() };
  const ctx: Ctx = { principal, requestId: 'r' };
  return checkConnector(deps, ctx, { provider: 'ticket_b', values: { url, credential: 'k' } });
};

test('a tenant that tries many connectors which do not answer is refused further ones, and others are not held up', async () => {
  for (let count = 0; count < TRIALS.alone + TRIALS.maxWaiting; count += 1) void ask('loud', 'https://silent.example');
  await expect(ask('loud', 'https://silent.example')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  expect(await ask('quiet', 'https://tickets.example')).toMatchObject({ ok: true });
});
