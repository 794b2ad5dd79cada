import Fastify from 'fastify';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createRootCa, createServerLeaf } from '#crypto';
import { createHttpEdge, type HttpEdge } from '#edge';
import { type Ctx, parseTenantId } from '#kernel';
import { mountApi, router, signedIn } from './index.ts';

const RATE = 40;
const routes = router({
  me: signedIn.output(z.object({ id: z.string() })).query(({ ctx }) => ({ id: ctx.principal.id })),
});

const open: HttpEdge[] = [];
let tls: { key: string; cert: string };
beforeAll(async () => {
  const leaf = await createServerLeaf(await createRootCa({ commonName: 'callers test' }), { hosts: ['localhost'] });
  tls = { key: leaf.keyPem, cert: leaf.certPem };
});
afterEach(async () => {
  for (const edge of open.splice(0)) await edge.close();
});

/** A valid credential is `<tenant>-<principal>`; every look-up is counted. */
async function serve() {
  const log = Fastify({ logger: { level: 'silent' } }).log;
  const edge = await createHttpEdge({ tls, log, trustedProxies: [], ratePerMinute: RATE, readiness: { phase: 'serving' } });
  open.push(edge);
  let lookUps = 0;
  const revoked = new Set<string>();
  await mountApi(edge.app, {
    ...{ router: routes, version: '1', publicUrl: 'https://localhost', sessionCookie: 'session', edge },
    resolveRequest: async ({ headers, id }): Promise<Ctx | undefined> => {
      lookUps += 1;
      const [, tenant, principal] = /^Bearer ([a-z]+)-(\w+)$/.exec(headers.authorization ?? '') ?? [];
      if (!tenant || !principal || revoked.has(`${tenant}-${principal}`)) return undefined;
      return {
        requestId: id,
        principal: { kind: 'api_token', id: principal, tenant: parseTenantId(tenant), permissions: new Set() },
      };
    },
  });
  await edge.app.ready();
  const ask = async (credential: string | undefined, { remoteAddress = '192.0.2.1', calls = 1 } = {}) => {
    const headers = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    const url = `/trpc/${Array.from({ length: calls }, () => 'me').join(',')}?batch=1`;
    return (await edge.app.inject({ url, headers, remoteAddress })).statusCode;
  };
  return { ask, edge, lookUps: () => lookUps, revoke: (credential: string) => void revoked.add(credential) };
}

describe('callers of procedures', () => {
  it('pay for each call of a batch, before any of them runs', async () => {
    const { ask } = await serve();
    for (const calls of [10, 10, 10, 8]) expect(await ask('acme-a', { calls })).toBe(200);
    expect(await ask('acme-a', { calls: 3 })).toBe(429);
    expect(await ask('acme-a', { calls: 2 })).toBe(200);
    expect(await ask('acme-b', { calls: 10 })).toBe(200);
  });

  it('have no more together than ten times the rate within one tenant, however many tokens they have', async () => {
    const { ask } = await serve();
    const statuses: number[] = [];
    for (let i = 0; i < 45; i += 1) statuses.push(await ask(`acme-${i}`, { calls: 10 }));
    expect(statuses).toEqual([...Array.from({ length: 40 }, () => 200), ...Array.from({ length: 5 }, () => 429)]);
    expect(await ask('other-x', { calls: 10 })).toBe(200);
  });

  it('without a valid credential cost no look-up beyond the rate of their address, and shut nobody out who was known', async () => {
    const { ask, lookUps } = await serve();
    expect(await ask('acme-a')).toBe(200);
    const flood = Array.from({ length: 200 }, (_, i) => ask(`wrong${i}`));
    const statuses = await Promise.all(flood);
    expect(statuses.filter((status) => status === 401)).toHaveLength(RATE);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - RATE);
    expect(lookUps()).toBe(RATE + 1);
    expect(await ask('acme-a')).toBe(200);
    expect(await ask('acme-b', { remoteAddress: '192.0.2.2' })).toBe(200);
  });

  it('cost no look-up once their budget is used up', async () => {
    const { ask, lookUps } = await serve();
    const statuses: number[] = [];
    for (let i = 0; i < 200; i += 1) statuses.push(await ask('acme-a'));
    expect(statuses.filter((status) => status === 200)).toHaveLength(RATE);
    expect(lookUps()).toBe(RATE);
    // A header that says the same in other words is the same credential.
    for (let i = 0; i < 50; i += 1) expect(await ask(`acme-a another${i}`)).toBe(429);
    expect(lookUps()).toBe(RATE);
    expect(await ask('acme-b')).toBe(200);
  });

  it('of a tenant that has used its budget up cost no look-up either', async () => {
    const { ask, lookUps } = await serve();
    for (let i = 0; i < 40; i += 1) expect(await ask(`acme-${i}`, { calls: 10 })).toBe(200);
    const before = lookUps();
    for (let i = 0; i < 20; i += 1) expect(await ask(`acme-${i}`)).toBe(429);
    expect(lookUps()).toBe(before);
  });

  it('that repeat a revoked or wrong token cost one look-up, and leave their address its budget', async () => {
    const { ask, lookUps, revoke } = await serve();
    expect(await ask('acme-a')).toBe(200);
    revoke('acme-a');
    expect(await ask('acme-a')).toBe(401);
    const before = lookUps();
    const statuses: number[] = [];
    for (let i = 0; i < 60; i += 1) statuses.push(await ask('acme-a'));
    expect(statuses).toEqual([...Array.from({ length: RATE }, () => 401), ...Array.from({ length: 20 }, () => 429)]);
    expect(lookUps()).toBe(before);
    expect(await ask('acme-b')).toBe(200);
    expect(await ask('acme-c')).toBe(200);
  });

  it('from many addresses cost no more look-ups than twenty times the rate, and each address has some in any case', async () => {
    const { ask, lookUps } = await serve();
    for (let i = 0; i < 30; i += 1) {
      const remoteAddress = `198.51.100.${i}`;
      for (let n = 0; n < RATE; n += 1) await ask(`wrong${i}x${n}`, { remoteAddress });
    }
    expect(lookUps()).toBeLessThanOrEqual(20 * RATE + (30 * RATE) / 10);
    expect(await ask('acme-b', { remoteAddress: '192.0.2.2' })).toBe(200);
  });

  it('are one network for all addresses of an IPv6 /64', async () => {
    const { ask } = await serve();
    const statuses = await Promise.all(
      Array.from({ length: 60 }, (_, i) => ask(undefined, { remoteAddress: `2001:db8::${(i + 1).toString(16)}` })),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(RATE);
    expect(await ask(undefined, { remoteAddress: '2001:db8:0:1::1' })).toBe(401);
  });

  it('are refused before their body is read', async () => {
    const { ask, edge } = await serve();
    for (let i = 0; i < 5; i += 1) await ask('acme-a', { calls: 10 });
    const headers = { authorization: 'Bearer acme-a', 'content-type': 'application/json' };
    const answer = await edge.app.inject({ method: 'POST', url: '/trpc/me', headers, payload: '{"broken' });
    expect([answer.statusCode, answer.json().error.data.appCode]).toEqual([429, 'rate_limited']);
  });
});
