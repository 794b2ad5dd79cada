import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import { openBrowser, openLink, signIn } from '../harness/browser.ts';
import { type Ground, ownAddress } from '../harness/ground.ts';
import { join, newPerson, type Person, whoIs } from '../harness/people.ts';

const STOLEN = 'a password that the thief has chosen';

/** Tenants that a session of this person reaches; none where the password does not open the account. */
async function reachOf(ground: Ground, person: { email: string; password: string }): Promise<string[]> {
  const browser = openBrowser(ground.doors.https, ownAddress());
  const { path } = await signIn(browser, person);
  if (path !== '/') return [];
  const me = await whoIs(ground, { cookie: browser.cookiesFor('/v1/me') });
  return (me?.tenants ?? []).map(({ id }) => id).sort();
}

/** The victim's own password works as before, and no other does. */
async function expectUntouched(ground: Ground, person: Person): Promise<void> {
  expect({ byStolen: await reachOf(ground, { email: person.email, password: STOLEN }) }).toEqual({ byStolen: [] });
  expect({ byOwn: await reachOf(ground, person) }).toEqual({ byOwn: expect.arrayContaining([ground.victim.tenant]) });
}

const claimLinkOf = async (ground: Ground, tenant: string) =>
  (await ground.svc('admin-link', '--tenant', tenant)).split('\n')[0] ?? '';

async function tryLink(ground: Ground, link: string, email: string): Promise<{ switched: boolean }> {
  const thief = openBrowser(ground.doors.https, ownAddress());
  await openLink(thief, link, { email, password: STOLEN });
  const answer = await thief.visit('/trpc/identity.switchTenant', { json: { tenant: ground.victim.tenant } });
  return { switched: answer.status === 200 };
}

attack({
  name: "a claim link of its own does not replace the password of another tenant's administrator",
  surfaces: ['POST /auth/claim', 'GET /auth/claim', 'trpc identity.switchTenant'],
  cost: 'short',
  async run(ground) {
    const person = await newPerson(ground, ground.victim, ['admin']);
    const link = await claimLinkOf(ground, ground.hostile.tenant);
    expect(await tryLink(ground, link, person.email)).toEqual({ switched: false });
    await expectUntouched(ground, person);
  },
});

attack({
  name: 'a claim link does not reset an account that is in another tenant too',
  surfaces: ['POST /auth/claim'],
  cost: 'short',
  async run(ground) {
    const person = await newPerson(ground, ground.victim, ['admin']);
    await join(ground, ground.hostile, { person, roles: ['viewer'] });
    const link = await claimLinkOf(ground, ground.hostile.tenant);
    expect(await tryLink(ground, link, person.email)).toEqual({ switched: false });
    await expectUntouched(ground, person);
  },
});

attack({
  name: "an invitation neither takes nor resets another tenant's account, however its address is written",
  surfaces: ['POST /auth/invite', 'GET /auth/invite', 'POST /v1/members/invites', 'trpc identity.members.invite'],
  cost: 'short',
  async run(ground) {
    const person = await newPerson(ground, ground.victim, ['admin']);
    for (const email of [person.email, person.email.toUpperCase(), ` ${person.email} `]) {
      const made = await ground.api('/v1/members/invites', { token: ground.hostile.tokens.admin, json: { roles: ['viewer'] } });
      const { url } = JSON.parse(made.body) as { url: string };
      expect({ email, ...(await tryLink(ground, url, email)) }).toEqual({ email, switched: false });
    }
    await expectUntouched(ground, person);
  },
});

attack({
  name: "a password link is made neither for another tenant's account nor for one of two tenants",
  surfaces: ['POST /v1/members/:id/password-link', 'trpc identity.members.resetPassword'],
  cost: 'short',
  async run(ground) {
    const person = await newPerson(ground, ground.victim, ['admin']);
    const me = await whoIs(ground, { cookie: person.browser.cookiesFor('/v1/me') });
    const resetIt = async () =>
      (await ground.api(`/v1/members/${me?.account.id}/password-link`, { token: ground.hostile.tokens.admin, method: 'POST' }))
        .status;
    expect(await resetIt()).toBe(404);
    await join(ground, ground.hostile, { person, roles: ['viewer'] });
    expect(await resetIt()).toBe(409);
  },
});

attack({
  name: 'an invitation opened by twenty at once makes one member',
  surfaces: ['POST /auth/invite'],
  cost: 'short',
  async run(ground) {
    const token = ground.hostile.tokens.admin;
    const made = await ground.api('/v1/members/invites', { token, json: { roles: ['viewer'] } });
    const { url } = JSON.parse(made.body) as { url: string };
    const race = Date.now().toString(36);
    const joined = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const browser = openBrowser(ground.doors.https, ownAddress());
        const { path } = await openLink(browser, url, { email: `racer-${i}@${race}.test`, password: 'a long enough phrase' });
        return path === '/';
      }),
    );
    expect(joined.filter(Boolean)).toHaveLength(1);
    const members = JSON.parse((await ground.api('/v1/members', { token })).body) as { items: { email: string }[] };
    expect(members.items.filter(({ email }) => email.endsWith(`@${race}.test`))).toHaveLength(1);
  },
});

attack({
  name: "a demoted member's token loses what its owner lost, and gets no roles back by making another",
  surfaces: ['trpc identity.members.setRoles', 'trpc identity.tokens.mint'],
  cost: 'short',
  async run(ground) {
    const admin = ground.hostile.tokens.admin;
    const person = await newPerson(ground, ground.hostile, ['admin']);
    const mint = async () => await person.browser.visit('/v1/tokens', { json: { name: 'kept', roles: ['admin'] } });
    const { secret } = JSON.parse((await mint()).body) as { secret: string };
    const isAllowed = async () => (await ground.api('/v1/members', { token: secret })).status;
    expect(await isAllowed()).toBe(200);
    const me = await whoIs(ground, { cookie: person.browser.cookiesFor('/v1/me') });
    const demoted = await ground.api(`/v1/members/${me?.account.id}/roles`, {
      ...{ method: 'PUT', token: admin, json: { roles: ['viewer'] } },
    });
    expect(demoted.status).toBe(200);
    const began = performance.now();
    await expect.poll(isAllowed, { timeout: 1000, interval: 50 }).toBe(403);
    expect(performance.now() - began).toBeLessThan(1000);
    expect((await mint()).status).toBe(403);
    const again = await ground.api('/v1/tokens', { token: secret, json: { name: 'back', roles: ['admin'] } });
    expect(again.status).toBe(403);
  },
});
