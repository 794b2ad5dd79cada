import { expect, it } from 'vitest';
import type { VerifiedAgent } from '#edge';
import type { TenantId } from '#kernel';
import { createAgentCache } from './agent-cache.ts';

const agent = (tenant: string, number: number): VerifiedAgent => ({
  ...{ tenant: tenant as TenantId, agentId: `agent-${number}`, fingerprint: `${tenant}-${number}`, notAfterMs: 1 },
});
const known = (cache: ReturnType<typeof createAgentCache>, tenant: string, count: number): number[] =>
  Array.from({ length: count }, (_, i) => i).filter((i) => cache.get(`${tenant}-${i}`) !== undefined);

it('drops the oldest of the tenant that has most, whoever comes', () => {
  const cache = createAgentCache(10);
  for (let i = 0; i < 3; i++) cache.keep(agent('quiet', i));
  for (let i = 0; i < 100; i++) cache.keep(agent('loud', i));
  expect(known(cache, 'quiet', 3)).toEqual([0, 1, 2]);
  expect(known(cache, 'loud', 100)).toEqual([93, 94, 95, 96, 97, 98, 99]);
  for (let i = 3; i < 5; i++) cache.keep(agent('quiet', i));
  expect(known(cache, 'quiet', 5)).toEqual([0, 1, 2, 3, 4]);
  expect(known(cache, 'loud', 100)).toEqual([95, 96, 97, 98, 99]);
});

it('drops an agent with all its certificates, and nothing of another tenant with the same id', () => {
  const cache = createAgentCache();
  for (const fingerprint of ['old', 'new']) cache.keep({ ...agent('acme', 1), fingerprint });
  cache.keep(agent('other', 1));
  cache.dropAgent('acme' as TenantId, 'agent-1');
  expect([cache.get('old'), cache.get('new'), cache.get('other-1')?.tenant]).toEqual([undefined, undefined, 'other']);
  expect([...cache.idsByTenant()]).toEqual([['other', ['agent-1']]]);
});
