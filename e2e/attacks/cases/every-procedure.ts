import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IncidentView } from '@svc/contracts/incidents/incident';
import { type Permission, ROLE_PERMISSIONS, ROLES } from '@svc/contracts/permissions';
import { expect } from 'vitest';
import { type Belongings, INPUTS } from '../../../server/src/testing/procedure-inputs.ts';
import type { Answer, Request } from '../harness/ask.ts';
import { attack } from '../harness/attack.ts';
import { keepingAgent } from '../harness/flood.ts';
import { DEAD_ADDRESSES, type Ground, ownAddress } from '../harness/ground.ts';
import { openIncident } from '../harness/incidents.ts';
import { exportHttp, SIGNALS } from '../harness/otlp.ts';
import { idOf, request, span } from '../harness/payloads.ts';
import { whoIs } from '../harness/people.ts';
import { enrolRunner } from '../harness/runners.ts';
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

/** Two incidents, of which the first has two signals: one alone is nobody's to take out. */
async function settleIncidents(ground: Ground, mark: string): Promise<Pick<Belongings, 'incident' | 'otherIncident' | 'signal'>> {
  const open = (nth: number, address: string) => openIncident(ground, ground.victim, { name: `${mark} fails ${nth}`, address });
  const [address, otherAddress] = DEAD_ADDRESSES;
  const [{ incident }, { signal }, other] = [await open(1, address), await open(2, address), await open(3, otherAddress)];
  return { incident, signal, otherIncident: other.incident };
}

/** Of an address that outgoing calls refuse. A message comes of an incident: whose it is, the walls between tenants ask with a real one. */
async function settleNotify({ api, victim }: Ground, mark: string) {
  const token = victim.tokens.admin;
  const values = { url: 'https://127.0.0.1:9', credential: '0123456789abcdef0123456789abcdef' };
  const connector = idFrom(await api('/v1/notify/connectors', { token, json: { provider: 'pager_a', name: mark, values } }));
  const rule = idFrom(
    await api('/v1/notify/rules', {
      token,
      json: {
        ...{
          name: mark,
          severity: 'critical',
          planes: [],
          targets: [mark],
          sites: [],
          schedule: null,
          delay_seconds: 0,
          quiet: null,
        },
        connectors: [],
      },
    }),
  );
  const made = await api('/v1/notify/inbound', { token, json: { provider: 'pager_a', name: mark } });
  const inbound = (JSON.parse(made.body) as { webhook: { id: string } }).webhook.id;
  return { connector, rule, inbound, message: randomUUID() };
}

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
  const madeWebhook = async (): Promise<string> => {
    const answer = await ground.api('/v1/change-webhooks', { token, json: { provider: 'generic', name: mark } });
    return (JSON.parse(answer.body) as { webhook: { id: string } }).webhook.id;
  };
  return {
    ...(await settleIncidents(ground, mark)),
    // A change comes by a signed delivery: whose it is, server/src/testing/tenant-walls.int.test.ts asks with a real one.
    change: randomUUID(),
    webhook: await madeWebhook(),
    ...(await settleNotify(ground, mark)),
    ...{ mark, trace, savedView, account: me?.account.id ?? '', agent: victim.device.identity.agentId },
    token: await made('/v1/tokens', { name: mark, roles: ['viewer'] }),
    invite: await made('/v1/members/invites', { roles: ['viewer'], email: `x@${mark}.test` }),
    enrolToken: await made('/v1/enrol-tokens', { label: mark }),
    otlpToken: await made('/v1/otlp/tokens', { name: mark }),
    runnerToken: await made('/v1/runner-tokens', { name: mark }),
    runner: (await enrolRunner(ground, victim)).runner_id,
    rumApp: await made('/v1/rum/apps', { name: mark, hosts: ['tested.example'] }),
    test: await made('/v1/tests', { name: mark, type: 'tcp', target: 'tested.example:443', enabled: false }),
    testSecret: await (async () => {
      await ground.api(`/v1/test-secrets/${mark}`, {
        method: 'PUT',
        token,
        json: { hosts: ['tested.example'], value: 'hidden' },
      });
      return mark;
    })(),
    window: await made('/v1/maintenance-windows', {
      ...{ name: mark, zone: 'UTC', scope: { kind: 'target', target: 'tested.example' } },
      times: { repeat: 'weekly', weekdays: [1], from: '01:00', duration_minutes: 60 },
    }),
    otherTest: await made('/v1/tests', { name: `${mark} 2`, type: 'tcp', target: 'tested.example:443', enabled: false }),
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
    const incidents = [own.incident, own.otherIncident];
    const before = await Promise.all(incidents.map((id) => readFate(ground, id)));
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
    expect(await Promise.all(incidents.map((id) => readFate(ground, id)))).toEqual(before);
    const token = ground.victim.tokens.admin;
    const still = async (path: string) => (await ground.api(path, { token })).body;
    for (const [path, id] of [
      ['/v1/tokens', own.token],
      ['/v1/members', own.invite],
      ['/v1/members', own.account],
      ['/v1/enrol-tokens', own.enrolToken],
      ['/v1/otlp/tokens', own.otlpToken],
      ['/v1/runner-tokens', own.runnerToken],
      ['/v1/runners', own.runner],
      [`/v1/signals?incident=${own.incident}`, own.signal],
      ['/v1/saved-views?page=fleet', own.savedView],
      ['/v1/tests', own.test],
      ['/v1/tests', own.otherTest],
      [`/v1/endpoints/${own.agent}`, own.agent],
    ] as const)
      expect({ path, there: (await still(path)).includes(id) }).toEqual({ path, there: true });
  },
});

/** What somebody could have done to an incident of the victim: its state, who has it, its trail, its signals. */
async function readFate(ground: Ground, id: string): Promise<object> {
  const answer = await ground.api(`/v1/incidents/${id}`, { token: ground.victim.tokens.admin });
  expect({ id, status: answer.status }).toEqual({ id, status: 200 });
  const { incident, entries, signals, related } = JSON.parse(answer.body) as IncidentView;
  const { status, severity, severity_set_by, assigned_to, acknowledged_at, resolved_at, signal_count } = incident;
  const did = entries.filter(({ actor }) => actor?.id !== 'system');
  return {
    status,
    severity,
    severity_set_by,
    assigned_to,
    acknowledged_at,
    resolved_at,
    signal_count,
    did,
    related,
    signals: signals.length,
  };
}

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
