import tls from 'node:tls';
import type { Role } from '@svc/contracts/permissions';
import { freePort } from '@svc/testkit/free-port';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import { parseTenantId } from '#kernel';
import { type OutsideIssuer, startOutsideIssuer } from './test-issuer.ts';
import { call, startTestServer, type TestServer } from './test-server.ts';

let outside: OutsideIssuer;
let server: TestServer;
let trustedBefore: string[];

interface Me {
  account: { email: string; name: string };
  tenant: { id: string };
  roles: Role[];
  permissions: string[];
}

beforeAll(async () => {
  const ca = await createRootCa({ commonName: 'outside test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
  const port = await freePort();
  outside = await startOutsideIssuer({ key: leaf.keyPem, cert: leaf.certPem }, `https://localhost:${port}/auth/callback`);
  trustedBefore = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...trustedBefore, ca.certPem]);
  const { issuer, clientId, clientSecret } = outside;
  server = await startTestServer({
    port,
    config: {
      external: { issuer, clientId, clientSecret },
      signInTenant: parseTenantId('staff'),
      groupRoles: new Map([['net-team', ['operator']]]),
      bootstrapAdmin: 'boss@firm.test',
    },
  });
});
afterAll(async () => {
  await server.close();
  await outside.close();
  tls.setDefaultCACertificates(trustedBefore);
});
beforeEach(() => {
  server.time.offsetMs += 120_000;
});

const come = async (person: Partial<OutsideIssuer['person']>, path = '/auth/login') => {
  outside.person = { sub: 'u1', email: 'ann@firm.test', email_verified: true, name: 'Ann', groups: [], ...person };
  const browser = server.browser([outside.issuer]);
  const landed = await browser.open(path);
  return { browser, landed };
};

test('where a first admin is named, no claim link is made', async () => {
  expect(await server.identity.welcome()).toBeUndefined();
});

test('a new person becomes a member without roles: signed in, and denied everything', async () => {
  const { browser, landed } = await come({ sub: 'new' });
  expect(landed.url).toBe(`${server.publicUrl}/`);
  const me = await call<Me>(browser, 'identity.me');
  expect(me.data).toMatchObject({
    account: { email: 'ann@firm.test', name: 'Ann' },
    tenant: { id: 'staff' },
    roles: [],
    permissions: [],
  });
  expect((await browser.ask('/v1/whose')).status).toBe(403);
});

test('the named address becomes admin at its first sign-in, but only when it is verified', async () => {
  const unproven = await come({ sub: 'fake', email: 'boss@firm.test', email_verified: false });
  expect((await call<Me>(unproven.browser, 'identity.me')).data.roles).toEqual([]);
  const { browser } = await come({ sub: 'boss', email: 'boss@firm.test' });
  expect((await call<Me>(browser, 'identity.me')).data.roles).toEqual(['admin']);
});

test('groups give their roles at each sign-in, and take them away again', async () => {
  const first = await come({ sub: 'grouped', groups: ['net-team', 'others'] });
  expect((await call<Me>(first.browser, 'identity.me')).data.roles).toEqual(['operator']);
  const second = await come({ sub: 'grouped', groups: ['others'] });
  expect((await call<Me>(second.browser, 'identity.me')).data.roles).toEqual([]);
  expect((await call<Me>(first.browser, 'identity.me')).data.roles).toEqual([]);
});

test('an invitation is taken by whoever signs in with it, once', async () => {
  const boss = await come({ sub: 'boss', email: 'boss@firm.test' });
  const { url } = (await call<{ url: string }>(boss.browser, 'identity.members.invite', { roles: ['auditor'] })).data;
  const page = await server.browser().open(url);
  const next = /class="button" href="([^"]+)"/.exec(page.body)?.[1] ?? '';
  expect(next).toMatch('/auth/login?link=');
  const guest = await come({ sub: 'guest', email: 'guest@firm.test' }, next);
  expect((await call<Me>(guest.browser, 'identity.me')).data.roles).toEqual(['auditor']);
  const late = await come({ sub: 'late', email: 'late@firm.test' }, next);
  expect(late.landed.status).toBe(410);
  expect(late.browser.cookie('__Host-svc_session')).toBeUndefined();
});

test('a link for an address needs the provider to say that it is verified; an address alone is nobody', async () => {
  const boss = await come({ sub: 'boss', email: 'boss@firm.test' });
  const victim = await come({ sub: 'victim', email: 'victim@firm.test' });
  const invite = { roles: ['admin'], email: 'victim@firm.test' };
  const { url } = (await call<{ url: string }>(boss.browser, 'identity.members.invite', invite)).data;
  const next = `/auth/login?link=${new URL(url).searchParams.get('token')}`;
  for (const thief of [
    { sub: 'thief', email: 'victim@firm.test', email_verified: false },
    { sub: 'thief', email: 'thief@firm.test' },
    { sub: 'thief', email: ' victim@firm.test' },
    { sub: 'thief', email: '' },
  ]) {
    const { browser, landed } = await come(thief, next);
    expect([landed.status, browser.cookie('__Host-svc_session')]).toEqual([403, undefined]);
  }
  // The same address, even verified, is another person while the subject is another.
  const twin = await come({ sub: 'twin', email: 'victim@firm.test' });
  const idOf = async ({ browser }: typeof twin) =>
    (await call<{ account: { id: string } }>(browser, 'identity.me')).data.account.id;
  expect(await idOf(twin)).not.toBe(await idOf(victim));
  const right = await come({ sub: 'victim', email: 'Victim@Firm.test' }, next);
  expect((await call<Me>(right.browser, 'identity.me')).data.roles).toEqual(['admin']);
  expect(await idOf(right)).toBe(await idOf(victim));
});

test('signing out leads through the identity provider', async () => {
  const { browser } = await come({ sub: 'new' });
  const answer = await browser.ask('/auth/logout', { method: 'POST' });
  expect(answer.status).toBe(303);
  expect(String(answer.headers.location)).toMatch(`${outside.issuer}/session/end?`);
  expect(String(answer.headers.location)).toMatch('id_token_hint=');
  expect((await browser.ask('/v1/me')).status).toBe(401);
});

test('there are no passwords here: the built-in provider is not there, and a form is refused', async () => {
  expect((await server.browser().ask('/auth/oidc/.well-known/openid-configuration')).status).toBe(404);
  const form = { token: 'x', email: 'a@b.test', password: 'correct horse battery', again: 'correct horse battery' };
  expect((await server.browser().ask('/auth/claim', { method: 'POST', form })).status).toBe(403);
});

test('an identity provider that does not answer lets nobody in', async () => {
  const alone = await startTestServer({
    config: { external: { issuer: 'https://localhost:1', clientId: 'svc', clientSecret: 'secret' } },
  });
  const answer = await alone.browser().ask('/auth/login');
  expect(answer.status).toBe(503);
  expect(answer.body).toContain('does not answer');
  await alone.close();
});

test('the mode without sign-in exists in a dev build only', async () => {
  await expect(startTestServer({ config: { authMode: 'dev' } })).rejects.toThrow('dev tag');
  const open = await startTestServer({ config: { authMode: 'dev' }, buildTag: 'dev' });
  await open.identity.welcome();
  const me = await call<Me>(open.browser(), 'identity.me');
  expect(me.data).toMatchObject({ tenant: { id: 'default' }, roles: ['admin'] });
  const forged = await open
    .browser()
    .ask('/v1/tokens', { method: 'POST', json: { name: 'x', roles: ['viewer'] }, headers: { 'sec-fetch-site': 'cross-site' } });
  expect(forged.status).toBe(403);
  await open.close();
});
