import { ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import { createTargetCheck } from '@svc/runner/check-target';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { AppError, type AuditEntry, parseTenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { authorTests, hideTargets } from '../features/authoring/index.ts';
import { createProposals, type KnownNames, type Observation } from '../features/proposals/index.ts';

const known: KnownNames = {
  tests: [],
  places: [
    { name: 'Webshop', kind: 'app', hosts: ['shop.example'] },
    { name: 'payments', kind: 'service', hosts: ['pay.svc.example'] },
    { name: 'orders-db', kind: 'host', hosts: ['orders-db:5432'] },
  ],
  runners: [{ id: 'r-lisbon', name: 'lisbon', labels: {} }],
};
const devices: KnownNames['places'] = [
  { name: 'LAPTOP-7', kind: 'host', hosts: ['laptop-7'] },
  { name: 'Annas Rechner', kind: 'host', hosts: [] },
];
const trail: AuditEntry[] = [];
let observed: Observation[] = [];
let dismissed: string[] = [];
const prompts: string[] = [];
let isConfigured = false;
let answers: (() => unknown)[] = [];

const sql = {
  query: async (text: string) => ({
    rows: text.startsWith('SELECT host') ? dismissed.map((host) => ({ host })) : [{ count: 0 }],
  }),
} as unknown as TenantSql;

const slice = createProposals({
  // What it reads and writes there is little; the walls between tenants are tested with the real one.
  relational: {
    withTenantSql: async (_tenant: unknown, work: (sql: TenantSql) => unknown) => await work(sql),
  } as unknown as Relational,
  appendAudit: async (_sql, entry) => void trail.push(entry),
  ...{ authorTests, hideTargets },
  model: {
    describe: async () => (isConfigured ? {} : undefined),
    ask: async (_tenant, { question, schema }) => {
      prompts.push(`${question.system}\n${question.prompt}`);
      return schema.parse(answers.shift()?.());
    },
  },
  mask: async (_, texts) => texts.map((text) => ({ text })),
  knownNames: async () => known,
  knownTests: async () => known.tests,
  devicesNamed: async (_, names) => devices.filter(({ name }) => names.includes(name.toLowerCase())),
  observe: async () => observed,
  refuseHost: createTargetCheck({ allow: [], forbiddenHosts: [], forbiddenNames: [] }),
  demandPatterns: () => {},
  clock: { now: Date.now },
  log: pino({ level: 'silent' }),
});
beforeEach(() => {
  [trail.length, prompts.length] = [0, 0];
  isConfigured = false;
  answers = [];
  [observed, dismissed] = [[], []];
});

function callerOf(role: Role) {
  const principal = {
    ...{ kind: 'account' as const, id: 'ann', tenant: parseTenantId('acme') },
    permissions: new Set(ROLE_PERMISSIONS[role]),
  };
  return createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
}

const author = (prompt: string, by?: 'heuristic' | 'model', role: Role = 'operator') =>
  callerOf(role).author({ prompt, ...(by === undefined ? {} : { author: by }) });
const refusal = (code: string) => ({ cause: { code } });
const given = (...tests: object[]) => ({ tests: tests.map((test) => ({ test, rationale: 'As asked.' })) });

test('a proposal is a whole test, with where each of its fields comes from', async () => {
  const {
    test: proposed,
    fields,
    author: by,
    more,
  } = await author('check every 30 s that https://shop.example/login answers 200');
  expect(proposed).toMatchObject({ type: 'https', interval_seconds: 30, enabled: true, params: { method: 'GET' } });
  expect(fields).toMatchObject({
    type: 'asked',
    interval_seconds: 'asked',
    name: 'inferred',
    'params.method': 'default',
    enabled: 'default',
  });
  expect({ by, more }).toEqual({ by: 'heuristic', more: [] });
});

test('the trail has type and target, and nothing of the words', async () => {
  await author('GET https://shop.example/a?from=mail with header Authorization: Bearer abcdef123456, as Ann wants it');
  expect(trail).toEqual([
    {
      ...{ actor: { kind: 'account', id: 'ann' }, action: 'ai.author', object: { type: 'test_proposal', id: 'r' } },
      detail: { author: 'heuristic', outcome: 'proposed', proposed: 1, type: 'https', target: 'https://shop.example/a' },
    },
  ]);
});

test('what cannot be made is refused with what would do, and stands in the trail', async () => {
  await expect(author('make it faster')).rejects.toMatchObject({
    cause: { code: 'cannot_author', more: { examples: [expect.any(String), expect.any(String)] } },
  });
  await expect(author('watch 10.0.0.5')).rejects.toMatchObject({
    cause: { code: 'cannot_author', more: { choices: [{ test: { type: 'icmp' } }, { test: { type: 'tcp' } }] } },
  });
  expect(trail.map(({ detail }) => detail?.outcome)).toEqual(['cannot_author', 'cannot_author']);
});

test.each(['ping 127.0.0.1', 'GET http://169.254.169.254/latest', 'ping localhost', 'port 5432 on [::1]:5432'])(
  'no test for a target that no runner may reach: %s',
  async (prompt) => {
    await expect(author(prompt)).rejects.toMatchObject(refusal('cannot_author'));
  },
);

test('only those who may write tests may ask', async () => {
  await expect(author('ping 10.0.0.1', 'heuristic', 'viewer')).rejects.toMatchObject(refusal('forbidden'));
  expect(trail).toEqual([]);
});

test('the configured model is meant, and sees no host, no name and no credential of the tenant', async () => {
  isConfigured = true;
  const headers = [{ name: 'Authorization', value: `Bearer \${secret:cut-1}` }];
  answers = [() => given({ name: 'Login', type: 'https', target: 'TARGET_2', interval_seconds: 30, params: { headers } })];
  const {
    test: proposed,
    author: by,
    secrets,
  } = await author('Webshop and https://shop.example/login?x=1 with token: abcdef123456 from lisbon');
  expect({ by, target: proposed.target, secrets }).toEqual({
    by: 'model',
    target: 'https://shop.example/login?x=1',
    secrets: ['shop.example-1'],
  });
  expect(prompts.join()).not.toMatch(/shop\.example|lisbon|abcdef123456|Webshop/i);
});

test.each([
  ['a target of its own', given({ name: 'a', type: 'http', target: 'http://169.254.169.254/' })],
  ['a mark that is none', given({ name: 'a', type: 'icmp', target: 'TARGET_9' })],
  ['a field that no test has', given({ name: 'a', type: 'icmp', target: 'TARGET_1', command: 'rm -rf /' })],
  ['a type that no test has', given({ name: 'a', type: 'shell', target: 'TARGET_1' })],
  [
    'a secret that was not typed',
    given({ name: 'a', type: 'https', target: 'https://TARGET_1/', params: { body: `\${secret:shop}` } }),
  ],
  [
    'a runner that is none',
    given({ name: 'a', type: 'icmp', target: 'TARGET_1', runners: { mode: 'named', runners: ['r-lisbon'] } }),
  ],
  [
    'runners by labels, of which it saw none',
    given({ name: 'a', type: 'icmp', target: 'TARGET_1', runners: { mode: 'labels', labels: { site: 'lisbon' } } }),
  ],
])('what a hostile model answers is refused, twice: %s', async (_, answer) => {
  answers = [() => answer, () => answer];
  await expect(author('ping 10.0.0.1', 'model')).rejects.toMatchObject(refusal('cannot_author'));
  expect(prompts).toHaveLength(2);
  expect(trail[0]?.detail).toEqual({ author: 'model', outcome: 'cannot_author', proposed: 0 });
});

test('an answer that is no JSON is asked for once more; a refusal of the gate is the caller’s to decide on', async () => {
  const noAnswer = () => {
    throw new AppError('unavailable', 'The model answered something else than it was asked for.');
  };
  answers = [noAnswer, () => given({ name: 'a', type: 'icmp', target: 'TARGET_1' })];
  expect((await author('ping 10.0.0.1', 'model')).test.target).toBe('10.0.0.1');
  answers = [noAnswer, noAnswer];
  await expect(author('ping 10.0.0.1', 'model')).rejects.toMatchObject(refusal('unavailable'));
  answers = [
    () => {
      throw new AppError('egress_denied', 'No consent.');
    },
  ];
  await expect(author('ping 10.0.0.1', 'model')).rejects.toMatchObject(refusal('egress_denied'));
});

test('what nobody tests is listed with why, without what is tested, dismissed or may not be reached', async () => {
  expect(await callerOf('operator').discover({})).toMatchObject({
    items: [],
    nothing: expect.stringMatching(/^Nothing was seen yet/),
  });
  observed = ['shop.example', 'pay.example', 'gone.example', '127.0.0.1'].map((target) => ({
    source: 'users',
    target,
    count: 1,
    failed: 0,
  }));
  dismissed = ['gone.example'];
  const { items, ...more } = await callerOf('operator').discover({});
  expect(items.map(({ host, test: proposed }) => [host, proposed.type, proposed.target])).toEqual([
    ['pay.example', 'https', 'https://pay.example/'],
    ['shop.example', 'https', 'https://shop.example/'],
  ]);
  expect(more).toEqual({ next_cursor: null, nothing: null, dismissed: ['gone.example'] });
  await callerOf('operator').dismiss({ host: 'Pay.Example' });
  await callerOf('operator').restore({ host: 'pay.example' });
  expect(trail.map(({ action, detail }) => [action, detail])).toEqual([
    ['ai.dismiss', { target: 'pay.example' }],
    ['ai.restore', { target: 'pay.example' }],
  ]);
  await expect(callerOf('viewer').discover({})).rejects.toMatchObject(refusal('forbidden'));
});

test.each([
  ['ping LAPTOP-7 every minute', 'icmp', 'laptop-7'],
  ['is the website of payments up?', 'https', 'https://pay.svc.example/'],
  ['tcp connect to orders-db', 'tcp', 'orders-db:5432'],
])('a name of the tenant’s own stands for its host: %s', async (prompt, type, target) => {
  const { test: proposed, reasons } = await author(prompt);
  expect([proposed.type, proposed.target]).toEqual([type, target]);
  expect(reasons.target).toMatch(/^“.*” is at /);
});

test('a name that is nobody’s, or has no host, is refused; devices are there for those who may see them', async () => {
  await expect(author('ping LAPTOP-8')).rejects.toMatchObject(refusal('cannot_author'));
  await expect(author('ping Annas Rechner')).rejects.toMatchObject({
    cause: { code: 'cannot_author', message: expect.stringMatching(/“Annas Rechner” has no host that is known/) },
  });
  const principal = {
    kind: 'account' as const,
    id: 'ann',
    tenant: parseTenantId('acme'),
    permissions: new Set(['test.write'] as const),
  };
  const blind = createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
  await expect(blind.author({ prompt: 'ping LAPTOP-7' })).rejects.toMatchObject(refusal('cannot_author'));
  answers = [() => given({ name: 'a', type: 'icmp', target: 'TARGET_1' })];
  await author('ping LAPTOP-7 and Annas Rechner', 'model');
  expect(prompts.join()).not.toMatch(/LAPTOP-7|Rechner/i);
});
