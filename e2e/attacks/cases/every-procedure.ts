import { setTimeout as sleep } from 'node:timers/promises';
import { type Permission, ROLE_PERMISSIONS, ROLES } from '@svc/contracts/permissions';
import { expect } from 'vitest';
import { type Belongings, INPUTS } from '../../../server/src/testing/procedure-inputs.ts';
import type { Answer, Request } from '../harness/ask.ts';
import { attack } from '../harness/attack.ts';
import { keepingAgent } from '../harness/flood.ts';
import { type Ground, ownAddress } from '../harness/ground.ts';
import { exportHttp, SIGNALS } from '../harness/otlp.ts';
import { idOf, request, span } from '../harness/payloads.ts';
import { whoIs } from '../harness/people.ts';
import { newMark } from '../harness/victim.ts';
import { type Procedure, readSurfaces } from '../registry.ts';

const surfaces = Object.keys(INPUTS).map((name) => `trpc ${name}`);

/** Once for all of these attacks: composing takes seconds. */
let reading: Promise<Procedure[]> | undefined;
const procedures = (): Promise<Procedure[]> => {
  reading ??= readSurfaces().then((found) => found.procedures);
  return reading;
};

type Call = (procedure: Procedure, input: object, request?: Request) => Promise<Answer>;

async function withCalls(ground: Ground, work: (call: Call) => Promise<void>): Promise<void> {
  const agent = keepingAgent(8);
  const from = ownAddress();
  try {
    await work(({ name, type }, input, request) =>
      ground.trpc(name, input, { agent, from, ...request, mutation: type === 'mutation' }),
    );
  } finally {
    agent.destroy();
  }
}

const idFrom = (answer: Answer): string => {
  const found = /"id":"([0-9a-f-]{36})"/.exec(answer.body)?.[1];
  if (!found) throw new Error(`no id in ${answer.status} ${answer.body}`);
  return found;
};

/** Makes something of each kind for the victim. */
async function settleBelongings(ground: Ground): Promise<Belongings> {
  const { victim } = ground;
  const token = victim.tokens.admin;
  const mark = newMark();
  const me = await whoIs(ground, { cookie: victim.admin.browser.cookiesFor('/v1/me') });
  const made = async (path: string, json: object) => idFrom(await ground.api(path, { token, json }));
  // A person's: API tokens own no views.
  const shared = { page: 'fleet', name: mark, search: `search=${mark}`, shared: true };
  const savedView = idFrom(await victim.admin.browser.visit('/v1/saved-views', { json: shared }));
  const trace = `${'03'.repeat(8)}${idOf(77).toString('hex')}`;
  const body = request([span({ id: idOf(77), name: mark })], [['service.name', mark]]);
  for (const signal of SIGNALS.slice(0, 1)) await exportHttp(ground.doors.otlpHttp, { signal, body, token: victim.otlpToken });
  return {
    ...{ mark, trace, savedView, account: me?.account.id ?? '', agent: victim.device.identity.agentId },
    token: await made('/v1/tokens', { name: mark, roles: ['viewer'] }),
    invite: await made('/v1/members/invites', { roles: ['viewer'], email: `x@${mark}.test` }),
    enrolToken: await made('/v1/enrol-tokens', { label: mark }),
    otlpToken: await made('/v1/otlp/tokens', { name: mark }),
    policy: (JSON.parse((await ground.api('/v1/agent-policy', { token })).body) as { policy: Belongings['policy'] }).policy,
  };
}

attack({
  name: 'every procedure refuses who has no credential, a wrong one, a revoked one and an expired one',
  surfaces,
  cost: 'short',
  async run(ground) {
    const token = ground.hostile.tokens.admin;
    const expired = await ground.svc(
      'token',
      'create',
      '--tenant',
      ground.hostile.tenant,
      '--role',
      'admin',
      '--expires',
      soon(),
    );
    const minted = await ground.api('/v1/tokens', { token, json: { name: 'revoked', roles: ['admin'] } });
    const revoked = (JSON.parse(minted.body) as { secret: string }).secret;
    await ground.api(`/v1/tokens/${idFrom(minted)}`, { method: 'DELETE', token });
    while (await whoIs(ground, { token: expired })) await sleep(200);
    const belongings = await settleBelongings(ground);
    const surprises: string[] = [];
    const credentials = {
      none: {},
      wrong: { token: `${token.slice(0, -4)}abcd` },
      revoked: { token: revoked },
      expired: { token: expired },
    };
    for (const [kind, request] of Object.entries(credentials))
      await withCalls(ground, async (call) => {
        for (const one of await procedures()) {
          const { status } = await call(one, INPUTS[one.name]?.(belongings) ?? {}, request);
          if (status !== 401) surprises.push(`${one.name}, ${kind}: ${status}`);
        }
      });
    expect(surprises).toEqual([]);
  },
});

const soon = () => new Date(Date.now() + 3000).toISOString();

attack({
  name: 'every procedure refuses a role that lacks its permission',
  surfaces,
  cost: 'short',
  async run(ground) {
    const belongings = await settleBelongings(ground);
    const surprises: string[] = [];
    await withCalls(ground, async (call) => {
      for (const one of await procedures()) {
        const lesser = ROLES.filter((role) => one.permission && !ROLE_PERMISSIONS[role].includes(one.permission as Permission));
        for (const role of lesser) {
          const { status } = await call(one, INPUTS[one.name]?.(belongings) ?? {}, { token: ground.hostile.tokens[role] });
          if (status !== 403) surprises.push(`${one.name} as ${role}: ${status}`);
        }
      }
    });
    expect(surprises).toEqual([]);
  },
});

attack({
  name: "another tenant's admin learns nothing and changes nothing by any procedure, whatever ids it knows",
  surfaces,
  cost: 'short',
  async run(ground) {
    const belongings = await settleBelongings(ground);
    const { policy, trace, ...own } = belongings;
    const surprises: string[] = [];
    await withCalls(ground, async (call) => {
      for (const one of await procedures()) {
        const { status, body } = await call(one, INPUTS[one.name]?.(belongings) ?? {}, { token: ground.hostile.tokens.admin });
        if (status >= 500 || status === 0) surprises.push(`${one.name}: ${status}`);
        // A refusal may repeat the id that was sent.
        const secrets = status === 200 ? Object.values(own) : [own.mark];
        if (secrets.some((secret) => body.includes(secret))) surprises.push(`${one.name}: ${status} tells ${body.slice(0, 200)}`);
      }
    });
    expect(surprises).toEqual([]);
    const token = ground.victim.tokens.admin;
    const still = async (path: string) => (await ground.api(path, { token })).body;
    for (const [path, id] of [
      ['/v1/tokens', own.token],
      ['/v1/members', own.invite],
      ['/v1/members', own.account],
      ['/v1/enrol-tokens', own.enrolToken],
      ['/v1/otlp/tokens', own.otlpToken],
      ['/v1/saved-views?page=fleet', own.savedView],
      [`/v1/endpoints/${own.agent}`, own.agent],
    ] as const)
      expect({ path, there: (await still(path)).includes(id) }).toEqual({ path, there: true });
  },
});

const GARBAGE: readonly object[] = [
  { id: '\u0000', ids: ['x'], limit: -1, cursor: '\u0000', filter: { search: '\u0000' } },
  { id: 'x'.repeat(5000), limit: 1e9, text: '('.repeat(600), attribute: Array(500).fill('a=b') },
  { from: '9999-99-99', to: '', key: '', metric: '', code: '%00', roles: ['root'], tenant: '../..', name: null },
];

attack({
  name: 'no procedure fails with an error of the server on an input that is malformed, deep or large',
  surfaces,
  cost: 'long',
  limitMs: 120_000,
  async run(ground) {
    const surprises: string[] = [];
    const deep = JSON.parse(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`) as object;
    // Each with a token of its own: the bound of calls is not what is attacked here.
    for (const [i, garbage] of [...GARBAGE, deep].entries()) {
      const minted = await ground.api('/v1/tokens', {
        token: ground.hostile.tokens.admin,
        json: { name: `garbage ${i}`, roles: ['viewer', 'it_admin', 'operator'] },
      });
      const token = (JSON.parse(minted.body) as { secret: string }).secret;
      await withCalls(ground, async (call) => {
        for (const one of await procedures()) {
          const { status } = await call(one, garbage, { token });
          if (status >= 500 || (status === 0 && i < 3)) surprises.push(`${one.name}, garbage ${i}: ${status}`);
        }
      });
    }
    expect(surprises).toEqual([]);
  },
});
