import { expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createAgentCallRate } from './agent-call-rate.ts';

const tenant = parseTenantId('acme');

test('an agent that opens streams again and again is told to come later, and nobody else is', () => {
  let now = 0;
  const count = createAgentCallRate(() => now);
  const one = { tenant, agentId: 'one' };
  for (let i = 0; i < 30; i++) count(one);
  expect(() => count(one)).toThrow(expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 7 }));
  count({ tenant, agentId: 'another' });
  now = 2000;
  count(one);
  expect(() => count(one)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  now = 120_000;
  for (let i = 0; i < 30; i++) count(one);
});
