import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import { openBrowser, signIn } from '../harness/browser.ts';
import { type Ground, ownAddress, type Side } from '../harness/ground.ts';
import { newPerson, whoIs } from '../harness/people.ts';

/** Within which what was revoked is refused. */
const FELT_MS = 1000;

async function removeMember(ground: Ground, side: Side, id: string): Promise<void> {
  const { status } = await ground.api(`/v1/members/${id}`, { method: 'DELETE', token: side.tokens.admin });
  expect({ removed: status }).toEqual({ removed: 204 });
}

attack({
  name: 'with a member go its sessions, its API tokens and its OTLP tokens',
  surfaces: [
    'DELETE /v1/members/:id',
    'trpc identity.members.remove',
    'POST /v1/tokens',
    'trpc identity.tokens.mint',
    'POST /v1/otlp/tokens',
    'trpc otlp.tokens.mint',
  ],
  cost: 'short',
  async run(ground) {
    const person = await newPerson(ground, ground.hostile, ['admin']);
    const cookie = person.browser.cookiesFor('/v1/me');
    const me = await whoIs(ground, { cookie });
    const minted = await person.browser.visit('/v1/tokens', { json: { name: 'stays behind', roles: ['admin'] } });
    const { secret } = JSON.parse(minted.body) as { secret: string };
    expect(await whoIs(ground, { token: secret })).toBeDefined();
    await removeMember(ground, ground.hostile, me?.account.id ?? '');
    await sleep(FELT_MS);
    expect({ session: await whoIs(ground, { cookie }), token: await whoIs(ground, { token: secret }) }).toEqual({
      session: undefined,
      token: undefined,
    });
  },
});

attack({
  name: 'a session loses the roles that were taken away with its next request',
  surfaces: ['PUT /v1/members/:id/roles', 'trpc identity.members.setRoles'],
  cost: 'short',
  async run(ground) {
    const person = await newPerson(ground, ground.hostile, ['admin']);
    const me = await whoIs(ground, { cookie: person.browser.cookiesFor('/v1/me') });
    const path = `/v1/members/${me?.account.id}/roles`;
    const answer = await ground.api(path, { method: 'PUT', json: { roles: ['viewer'] }, token: ground.hostile.tokens.admin });
    expect(answer.status).toBe(200);
    expect((await person.browser.visit('/v1/members')).status).toBe(403);
  },
});

attack({
  name: 'nobody gives what they do not hold: an it_admin makes neither members nor tokens of admins',
  surfaces: ['POST /v1/tokens', 'POST /v1/members/invites', 'PUT /v1/members/:id/roles'],
  cost: 'short',
  async run(ground) {
    for (const role of ['viewer', 'it_admin', 'operator', 'auditor'] as const) {
      const token = ground.hostile.tokens[role];
      const tries = [
        await ground.api('/v1/tokens', { token, json: { name: 'x', roles: ['admin'] } }),
        await ground.api('/v1/members/invites', { token, json: { roles: ['admin'] } }),
        await ground.api('/v1/otlp/tokens', { token, json: { name: 'x' } }),
      ];
      expect({ role, statuses: tries.map(({ status }) => status) }).toEqual({ role, statuses: [403, 403, 403] });
    }
  },
});

attack({
  name: 'guessing passwords from one address ends after ten tries a minute, and others sign in meanwhile',
  surfaces: ['POST /auth/oidc/interaction/:uid', 'listener SVC_LISTEN_ADDR'],
  cost: 'short',
  async run(ground) {
    const guesser = ownAddress();
    const statuses: number[] = [];
    for (let i = 0; i < 14; i += 1) {
      const person = { email: ground.victim.admin.email, password: `guess number ${i}` };
      statuses.push((await signIn(openBrowser(ground.doors.https, guesser), person)).status);
    }
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(statuses.at(-1)).toBe(429);
    const owner = await signIn(openBrowser(ground.doors.https, ownAddress()), ground.victim.admin);
    expect(owner.path).toBe('/');
  },
});

const HOSTILE_MARKUP = `"><img src=x onerror=alert(1)>{{7*7}}\${7*7}'--`;

attack({
  name: 'pages of the sign-in show nothing that was typed as markup',
  surfaces: ['POST /auth/claim', 'POST /auth/invite', 'GET /auth/claim', 'POST /auth/oidc/interaction/:uid'],
  cost: 'short',
  async run(ground) {
    const made = await ground.api('/v1/members/invites', { token: ground.hostile.tokens.admin, json: { roles: ['viewer'] } });
    const { url } = JSON.parse(made.body) as { url: string };
    const { pathname, searchParams } = new URL(url);
    const browser = openBrowser(ground.doors.https, ownAddress());
    const form = {
      token: searchParams.get('token') ?? '',
      email: HOSTILE_MARKUP,
      name: HOSTILE_MARKUP,
      password: 'a',
      again: 'b',
    };
    const pages = [
      await browser.visit(pathname, { form }),
      await browser.visit(`/auth/claim?token=${encodeURIComponent(HOSTILE_MARKUP)}`),
      await signIn(browser, { email: HOSTILE_MARKUP, password: 'x' }),
    ];
    for (const { body, status } of pages)
      expect({ status, markup: body.includes('<img src=x') }).toEqual({ status, markup: false });
  },
});
