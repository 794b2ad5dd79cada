import { createHmac } from 'node:crypto';
import type { WebhookSecret } from '@svc/contracts/changes/webhook';
import { githubEventOf, githubHeaders, listDeliveries, readDelivery, signingTokenHeaders } from '@svc/testkit/forge-deliveries';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { createTestChanges, type TestChanges } from './test-changes.ts';

let changes: TestChanges;
beforeAll(async () => {
  changes = await createTestChanges();
});
afterAll(async () => await changes?.close());

const ENTRY = { title: 'Route moved', kind: 'route', target: 'shop.example', occurred_at: '2026-06-02T11:49:00Z' };
const hook = ({ webhook, secret }: WebhookSecret) => ({ id: webhook.id, secret });

async function newHook(provider: 'generic' | 'forge_a' | 'forge_b' = 'generic', secret?: string) {
  const tenant = await changes.newTenant();
  return { tenant, ...hook(await changes.as(tenant).webhooks.create({ provider, name: 'CI', secret })) };
}
const list = async (tenant: TenantId) => {
  await changes.settled();
  return (await changes.as(tenant, 'viewer').list({})).items;
};
const detail = async (tenant: TenantId, id: string) => {
  await changes.settled();
  return await changes.as(tenant, 'viewer').webhooks.get({ id });
};

test('a signed delivery is answered with what was taken, stored once, and has one entry in the trail', async () => {
  const own = await newHook();
  for (let again = 0; again < 3; again += 1)
    expect(await changes.tell(own, [ENTRY, { ...ENTRY, id: 'b' }, {}])).toMatchObject({ status: 202, body: { accepted: 2 } });
  expect(await list(own.tenant)).toMatchObject([
    { number: 2, kind: 'route', title: 'Route moved', target: 'shop.example', target_from: 'change', webhook_id: own.id },
    { number: 1 },
  ]);
  expect(changes.trail.filter(({ tenant, action }) => tenant === own.tenant && action === 'change.ingest')).toMatchObject([
    { object: { type: 'change_webhook', id: own.id }, detail: { outcome: 'partly_stored', changes: 2, dropped: 1 } },
  ]);
  expect(await detail(own.tenant, own.id)).toMatchObject({
    webhook: { deliveries: 1, events_stored: 2, without_target: 0, refusals: [] },
    last: [{ outcome: 'partly_stored', events: 2, dropped: [{ reason: 'no_title', count: 1 }] }],
  });
});

test('what is not signed by its secret is refused, counted with its reason, and stored nowhere', async () => {
  const own = await newHook();
  const other = await newHook();
  const text = JSON.stringify(ENTRY);
  const signature = (secret: string) => `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;
  const refused: [string, Record<string, string>][] = [
    [`generic/${own.id}`, {}],
    [`generic/${own.id}`, { 'x-svc-signature': 'sha256=zz' }],
    [`generic/${own.id}`, { 'x-svc-signature': signature('wrong') }],
    [`generic/${own.id}`, { 'x-svc-signature': signature(other.secret) }],
    [`forge_a/${own.id}`, { 'x-hub-signature-256': signature(own.secret) }],
    ['generic/nobody', { 'x-svc-signature': signature(own.secret) }],
  ];
  for (const [path, headers] of refused) {
    const answer = await changes.send(path, text, { 'content-type': 'application/json', ...headers });
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect(JSON.stringify(answer.body)).not.toContain(own.secret);
  }
  expect(await list(own.tenant)).toEqual([]);
  const { webhook, last } = await detail(own.tenant, own.id);
  expect(last).toEqual([]);
  expect(webhook.last_delivery_at).toBeNull();
  expect(Object.fromEntries(webhook.refusals.map(({ reason, count }) => [reason, count]))).toEqual({
    ...{ no_signature: 1, malformed_signature: 1, wrong_signature: 2, wrong_provider: 1 },
  });
  expect(changes.trail.filter(({ tenant, action }) => tenant === own.tenant && action === 'change.ingest')).toEqual([]);
  expect(await changes.send('party/x', text, {})).toMatchObject({ status: 404 });
});

test('a megabyte is the most, and one byte more is counted as too large', async () => {
  const own = await newHook();
  const body = (bytes: number) =>
    JSON.stringify({ ...ENTRY, summary: 'x'.repeat(bytes - JSON.stringify({ ...ENTRY, summary: '' }).length) });
  const send = (text: string) =>
    changes.send(`generic/${own.id}`, text, {
      'content-type': 'text/plain',
      'x-svc-signature': `sha256=${createHmac('sha256', own.secret).update(text).digest('hex')}`,
    });
  expect(await send(body(1024 * 1024))).toMatchObject({ status: 202, body: { accepted: 1 } });
  expect(await send(body(1024 * 1024 + 1))).toMatchObject({ status: 413, body: { code: 'too_large' } });
  expect((await detail(own.tenant, own.id)).webhook.refusals).toMatchObject([{ reason: 'too_large', count: 1 }]);
});

test('what verifies is 202 and says why it stored nothing', async () => {
  const own = await newHook();
  for (const [body, outcome] of [
    ['{', 'not_json'],
    ['[]', 'nothing_in_it'],
    ['7', 'not_known_shape'],
    ['[{}]', 'all_malformed'],
  ] as const) {
    const signature = createHmac('sha256', own.secret).update(body).digest('hex');
    const answer = await changes.send(`generic/${own.id}`, body, {
      'content-type': 'application/json',
      'x-svc-signature': `sha256=${signature}`,
    });
    expect(answer).toMatchObject({ status: 202, body: { accepted: 0 } });
    changes.pass(0.01);
    expect((await detail(own.tenant, own.id)).last[0]).toMatchObject({ outcome, events: 0 });
  }
});

test('every delivery of GitHub, unmodified, is taken; a repeated one changes nothing', async () => {
  const own = await newHook('forge_a');
  for (const round of [1, 2])
    for (const name of listDeliveries('github')) {
      const body = readDelivery('github', name);
      const headers = githubHeaders(own.secret, body, { event: githubEventOf(name), id: `delivery-${name}` });
      expect([round, name, (await changes.send(`forge_a/${own.id}`, body, headers)).status]).toEqual([round, name, 202]);
    }
  const stored = await list(own.tenant);
  const deploys = stored.filter(({ kind }) => kind === 'deploy');
  expect(deploys.length).toBeGreaterThan(0);
  expect(new Set(deploys.map(({ attributes }) => attributes.deployment)).size).toBe(deploys.length);
  expect(stored.filter(({ kind }) => kind === 'commit').length).toBeGreaterThan(0);
  expect((await detail(own.tenant, own.id)).webhook.deliveries).toBe(listDeliveries('github').length);
});

test('a delivery that somebody sends again under another id and as another event is the same one', async () => {
  const own = await newHook('forge_a');
  const other = await newHook('forge_a', own.secret);
  const name = listDeliveries('github').find((one) => githubEventOf(one) === 'deployment_status') ?? '';
  const body = readDelivery('github', name);
  const replay = (id: string, event = githubEventOf(name), to = own) =>
    changes.send(`forge_a/${to.id}`, body, githubHeaders(own.secret, body, { event, id }));
  for (const id of ['first', 'second', '']) expect(await replay(id)).toMatchObject({ status: 202 });
  expect(await replay('third', 'deployment')).toMatchObject({ status: 202 });
  expect(await list(own.tenant)).toHaveLength(1);
  expect((await detail(own.tenant, own.id)).webhook).toMatchObject({ deliveries: 1, events_stored: 1 });
  const ingested = ({ tenant, action }: { tenant?: string; action: string }) =>
    tenant === own.tenant && action === 'change.ingest';
  expect(changes.trail.filter(ingested)).toHaveLength(1);
  // Another webhook, whose secret happens to be the same, has deliveries of its own.
  await replay('first', githubEventOf(name), other);
  expect(await list(other.tenant)).toHaveLength(1);
});

test('every delivery of GitLab, unmodified, is taken, by token and by signing token', async () => {
  const own = await newHook('forge_b');
  const signing = await newHook('forge_b', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
  for (const name of listDeliveries('gitlab')) {
    const body = readDelivery('gitlab', name);
    const json = { 'content-type': 'application/json' };
    expect(await changes.send(`forge_b/${own.id}`, body, { ...json, 'x-gitlab-token': own.secret })).toMatchObject({
      status: 202,
    });
    const headers = signingTokenHeaders(signing.secret, body, { id: name, seconds: Math.round(changes.now() / 1000) });
    expect(await changes.send(`forge_b/${signing.id}`, body, headers)).toMatchObject({ status: 202 });
  }
  const [byToken, bySignature] = [await list(own.tenant), await list(signing.tenant)];
  expect(byToken.length).toBeGreaterThan(5);
  expect(bySignature.map(({ title }) => title)).toEqual(byToken.map(({ title }) => title));
  expect(byToken.find(({ environment }) => environment === 'staging')).toMatchObject({
    target: 'staging.example.com',
    target_from: 'change',
    state: 'succeeded',
  });
});

test('a webhook of the configuration is one of its tenant, and is changed there', async () => {
  expect(await changes.tell({ id: 'of-config', secret: 'secret:with:colons' }, ENTRY)).toMatchObject({ status: 202 });
  expect(await list(changes.configured)).toMatchObject([{ title: 'Route moved' }]);
  const as = changes.as(changes.configured);
  expect((await as.webhooks.list()).items).toMatchObject([{ id: 'of-config', source: 'configuration', created_by: null }]);
  await expect(as.webhooks.rotate({ id: 'of-config' })).rejects.toMatchObject({ cause: { code: 'conflict' } });
  await expect(as.webhooks.remove({ id: 'of-config' })).rejects.toMatchObject({ cause: { code: 'conflict' } });
});

test('a rotated secret overlaps with the one before it for as long as was asked; a deleted one ends at once', async () => {
  const own = await newHook();
  const as = changes.as(own.tenant);
  const next = await as.webhooks.rotate({ id: own.id, overlap_hours: 1 });
  expect(next.secret).not.toBe(own.secret);
  const tell = async (secret: string, id: string) => (await changes.tell({ id: own.id, secret }, { ...ENTRY, id })).status;
  expect([await tell(own.secret, '1'), await tell(next.secret, '2')]).toEqual([202, 202]);
  changes.pass(61);
  expect([await tell(own.secret, '3'), await tell(next.secret, '4')]).toEqual([401, 202]);
  await as.webhooks.remove({ id: own.id });
  expect(await tell(next.secret, '5')).toBe(401);
  expect(await list(own.tenant)).toHaveLength(3);
  expect(changes.trail.filter(({ tenant }) => tenant === own.tenant).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['change_webhook.create', 'change_webhook.rotate', 'change_webhook.delete']),
  );
});

test('a secret is in no answer but its own, and in no export', async () => {
  const own = await newHook();
  const seen = JSON.stringify([await changes.as(own.tenant).webhooks.list(), await detail(own.tenant, own.id)]);
  expect(seen).not.toContain(own.secret);
  for await (const { table, rows } of changes.slice.data.exportRows(own.tenant))
    expect([table, JSON.stringify(rows).includes(own.secret)]).toEqual([table, false]);
  const { rows } = await changes.database.relational.withTenantSql(own.tenant, (sql) =>
    sql.query<{ secret: Buffer }>('SELECT secret FROM change_webhooks'),
  );
  expect(rows[0]?.secret.includes(own.secret)).toBe(false);
});

test('ten thousand changes in one array are stored', async () => {
  const own = await newHook();
  const events = Array.from({ length: 10_000 }, (_, n) => ({ title: `c${n}`, occurred_at: '2026-06-02T11:00:00Z', id: `${n}` }));
  expect(await changes.tell(own, events)).toMatchObject({ status: 202, body: { accepted: 10_000 } });
  expect((await list(own.tenant))[0]).toMatchObject({ number: 10_000 });
  expect((await detail(own.tenant, own.id)).webhook).toMatchObject({ events_stored: 10_000, without_target: 10_000 });
});

test('a tenant’s webhooks, changes and incidents are nobody else’s', async () => {
  const own = await newHook();
  const other = await newHook();
  await changes.tell(own, ENTRY);
  const [change] = await list(own.tenant);
  const incident = changes.addIncident(own.tenant, [{ target: 'shop.example' }]);
  const as = changes.as(other.tenant);
  expect(await list(other.tenant)).toEqual([]);
  const missing = { cause: { code: 'not_found' } };
  await expect(as.get({ id: change?.id ?? '' })).rejects.toMatchObject(missing);
  await expect(as.webhooks.get({ id: own.id })).rejects.toMatchObject(missing);
  await expect(as.webhooks.rotate({ id: own.id })).rejects.toMatchObject(missing);
  await expect(as.webhooks.remove({ id: own.id })).rejects.toMatchObject(missing);
  await expect(as.webhooks.setTargets({ id: own.id, rules: [] })).rejects.toMatchObject(missing);
  await expect(as.ofIncident({ id: incident })).rejects.toMatchObject(missing);
  await expect(as.judge({ id: incident, change: change?.id ?? '', verdict: 'cause' })).rejects.toMatchObject(missing);
  const theirs = changes.addIncident(other.tenant, [{ target: 'shop.example' }]);
  await expect(as.judge({ id: theirs, change: change?.id ?? '', verdict: 'cause' })).rejects.toMatchObject(missing);
});
