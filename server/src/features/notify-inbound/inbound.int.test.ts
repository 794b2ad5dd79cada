import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { MAX_INBOUND_WEBHOOKS } from '@svc/contracts/notify/inbound';
import { ROLE_PERMISSIONS } from '@svc/contracts/permissions';
import Fastify from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCallerFactory } from '#api';
import { createSealer } from '#crypto';
import { type NativeReader, type NativeReading, type ObjectNews, parseTenantId, type TenantId } from '#kernel';
import { asSystem, createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import type { InboundDeps, NewsResult } from './context.ts';
import { createNotifyInbound } from './index.ts';
import { DELIVERY_DAYS, removeOld } from './rounds.ts';

const CONFIGURED = parseTenantId('configured');
const DAY_MS = 86_400_000;
const SECRET = 'a secret of the configuration';

let database: TestDatabase;
let slice: ReturnType<typeof createNotifyInbound>;
let deps: InboundDeps;
let nowMs = Date.UTC(2026, 5, 2, 12);
let tenants = 0;
let tenant: TenantId;
const app = Fastify();
const taken: { tenant: string; connector: string | null; news: ObjectNews }[] = [];
let answer: () => Promise<NewsResult>;
let keys: readonly string[] | undefined;

/** A provider's own shape: signed by a header of its own, told by a body such as {"ticket": "1", "state": "done"}. */
const reader = (provider: NativeReader['provider']): NativeReader => ({
  provider,
  verify(secret, { headers, body }) {
    if (headers['x-native'] === undefined) return 'absent';
    return headers['x-native'] === createHmac('sha256', secret).update(body).digest('hex') ? 'taken' : 'wrong';
  },
  idHeader: 'x-native-id',
  read(body): NativeReading {
    const { id, ticket, state } = Object(body) as { id?: string; ticket?: string; state?: string };
    const base = { delivery: id ?? null, event: 'edited', reason: '', needsNames: null };
    if (ticket === undefined) return { ...base, outcome: 'nothing', news: [] };
    if (state !== 'done') return { ...base, outcome: 'not_understood', news: [], reason: `state not understood: ${state}` };
    const news: ObjectNews = { names: [{ id: ticket }], became: 'resolved', order: null, atMs: null, by: 'Ada' };
    return { ...base, outcome: 'news', news: [news], needsNames: provider === 'pager_a' ? ticket : null };
  },
});

beforeAll(async () => {
  database = await createTestDatabase();
  deps = {
    ...{ relational: database.relational, sealer: createSealer(randomBytes(32)), publicUrl: 'https://svc.example' },
    appendAudit: async () => {},
    ensureTenant: async (id) => void (await createTenant(database.relational, { id, name: id })),
    nameActors: async () => new Map(),
    listConnectors: async () => [{ id: 'snow', name: 'Service desk' }],
    takeNews: async (of, { connector, news }) => {
      taken.push({ tenant: of, connector, news });
      return await answer();
    },
    askNames: async () => keys,
    readers: {
      pager_a: reader('pager_a'),
      pager_b: reader('pager_b'),
      ticket_a: reader('ticket_a'),
      ticket_b: reader('ticket_b'),
    },
    configured: [{ id: 'of-config', tenant: CONFIGURED, provider: 'ticket_a', secret: SECRET }],
    clock: { now: () => nowMs },
    log: pino({ level: 'silent' }),
  };
  slice = createNotifyInbound(deps);
  slice.routes(app);
  await slice.start((role) => role === 'api');
  await app.ready();
});
afterAll(async () => {
  await slice?.close();
  await app.close();
  await database?.close();
});
beforeEach(async () => {
  taken.length = 0;
  keys = undefined;
  answer = async () => ({ outcome: 'resolved', incident: randomUUID() });
  tenants += 1;
  tenant = parseTenantId(`inbound-${tenants}`);
  await createTenant(database.relational, { id: tenant, name: tenant });
});

function as(of: TenantId) {
  const principal = { kind: 'account' as const, id: 'ann', tenant: of, permissions: new Set(ROLE_PERMISSIONS.admin) };
  return createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
}

const sign = (secret: string, body: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

async function post(url: string, { body, headers }: { body: string; headers: Record<string, string> }) {
  const { statusCode, body: text } = await app.inject({ method: 'POST', url: `/ingest/itsm/${url}`, payload: body, headers });
  return {
    status: statusCode,
    body: statusCode === 202 ? (JSON.parse(text) as { accepted: number; outcome: string }) : undefined,
  };
}

const PORTABLE = JSON.stringify({ external_ref: `svc-${randomUUID()}`, status: 'resolved', tenant_id: 'other' });
const json = { 'content-type': 'application/json' };

describe('a delivery', () => {
  it('by the portable contract is done for the tenant of its webhook, by signature or by token', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow', connector: 'snow' });
    const signed = await post(`ticket_a/${webhook.id}`, {
      body: PORTABLE,
      headers: { ...json, 'x-svc-signature': sign(secret, PORTABLE) },
    });
    expect(signed).toEqual({ status: 202, body: { accepted: 1, outcome: 'resolved' } });
    const acknowledged = JSON.stringify({
      external_ref: 'svc-1',
      status: 'acknowledged',
      by: 'Ada',
      occurred_at: '2026-06-02T12:00:00Z',
    });
    await post(`ticket_a/${webhook.id}`, { body: acknowledged, headers: { ...json, 'x-svc-token': secret } });
    expect(taken).toMatchObject([
      { tenant, connector: 'snow', news: { became: 'resolved' } },
      { news: { names: [{ key: 'svc-1' }], became: 'acknowledged', by: 'Ada', atMs: Date.UTC(2026, 5, 2, 12) } },
    ]);
    const { last, webhook: shown } = await as(tenant).get({ id: webhook.id });
    expect([last.length, shown.deliveries, last[1]?.outcome]).toEqual([2, 2, 'resolved']);
    expect(JSON.stringify([last, shown])).not.toContain(secret);
  });

  it('that is not signed by its webhook is refused before anything is stored, and counted', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow' });
    const own = sign(secret, PORTABLE);
    const wrong: [Record<string, string>, string][] = [
      [{}, 'no_signature'],
      [{ 'x-svc-signature': `${own}, ${own}` }, 'malformed_signature'],
      [{ 'x-svc-signature': sign('other', PORTABLE) }, 'wrong_signature'],
      [{ 'x-svc-signature': sign('other', PORTABLE), 'x-svc-token': secret }, 'wrong_signature'],
      [{ 'x-svc-signature': own, 'x-svc-token': 'other' }, 'wrong_token'],
      [{ 'x-native': 'other' }, 'wrong_signature'],
    ];
    for (const [headers] of wrong)
      expect([
        headers,
        (await post(`ticket_a/${webhook.id}`, { body: PORTABLE, headers: { ...json, ...headers } })).status,
      ]).toEqual([headers, 401]);
    expect((await post(`ticket_b/${webhook.id}`, { body: PORTABLE, headers: { ...json, 'x-svc-signature': own } })).status).toBe(
      401,
    );
    expect((await post('ticket_a/nobody', { body: PORTABLE, headers: { ...json, 'x-svc-signature': own } })).status).toBe(401);
    expect((await post(`chat_a/${webhook.id}`, { body: PORTABLE, headers: { ...json, 'x-svc-signature': own } })).status).toBe(
      404,
    );
    const tooLarge = 'x'.repeat(1024 * 1024 + 1);
    expect((await post(`ticket_a/${webhook.id}`, { body: tooLarge, headers: { ...json, 'x-svc-token': secret } })).status).toBe(
      413,
    );
    const { last, webhook: shown } = await as(tenant).get({ id: webhook.id });
    expect([last, taken]).toEqual([[], []]);
    const counted = Object.fromEntries(shown.refusals.map(({ reason, count }) => [reason, count]));
    expect(counted).toEqual({
      no_signature: 1,
      malformed_signature: 1,
      wrong_signature: 3,
      wrong_token: 1,
      wrong_provider: 1,
      too_large: 1,
    });
  });

  it('in the provider’s own shape is read by the provider, once for each id in its body', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_b', name: 'jira' });
    const send = async (body: string) => {
      const headers = { ...json, 'x-native': sign(secret, body).slice(7) };
      return (await post(`ticket_b/${webhook.id}`, { body, headers })).body;
    };
    expect(await send('{"id":"d1","ticket":"7","state":"done"}')).toEqual({ accepted: 1, outcome: 'resolved' });
    expect(await send('{"id":"d1", "ticket":"7","state":"done"}')).toEqual({ accepted: 0, outcome: 'repeated' });
    expect(taken).toMatchObject([{ news: { names: [{ id: '7' }], by: 'Ada' } }]);
  });

  it('that is signed is taken once, whatever headers that nobody signed call it', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_b', name: 'jira' });
    const send = async (body: string, headers: Record<string, string>) =>
      (await post(`ticket_b/${webhook.id}`, { body, headers: { ...json, ...headers } })).body?.outcome;
    const seen = { 'x-svc-signature': sign(secret, PORTABLE) };
    const names = ['x-svc-delivery', 'idempotency-key', 'x-native-id'];
    expect(await send(PORTABLE, { ...seen, 'x-svc-delivery': 'd1' })).toBe('resolved');
    for (const name of names) expect(await send(PORTABLE, { ...seen, [name]: 'd2' })).toBe('repeated');
    expect(await send(PORTABLE, seen)).toBe('repeated');
    const body = '{"ticket":"7","state":"done"}';
    const native = { 'x-native': sign(secret, body).slice(7) };
    expect(await send(body, { ...native, 'x-native-id': 'd1' })).toBe('resolved');
    for (const name of names) expect(await send(body, { ...native, [name]: 'd2' })).toBe('repeated');
    const later = JSON.stringify({ ...(JSON.parse(PORTABLE) as object), occurred_at: '2026-06-02T12:00:00Z' });
    expect(await send(later, { 'x-svc-signature': sign(secret, later) })).toBe('resolved');
  });

  it('by token is repeated only where its header says so: whoever sends it has the secret', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_b', name: 'jira' });
    const send = async (headers: Record<string, string>) =>
      (await post(`ticket_b/${webhook.id}`, { body: PORTABLE, headers: { ...json, 'x-svc-token': secret, ...headers } })).body
        ?.outcome;
    for (const name of ['x-svc-delivery', 'idempotency-key', 'x-native-id']) {
      expect([name, await send({ [name]: `a ${name}` })]).toEqual([name, 'resolved']);
      expect([name, await send({ [name]: `b ${name}` })]).toEqual([name, 'resolved']);
      expect([name, await send({ [name]: `b ${name}` })]).toEqual([name, 'repeated']);
    }
    expect([await send({}), await send({})]).toEqual(['resolved', 'resolved']);
  });

  it('that is of no use or not understood is answered all the same, and says why', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_b', name: 'jira' });
    const bodies = [
      '{}',
      '{"ticket":"1","state":"half"}',
      'no json',
      '',
      '{"external_ref":"svc-1","status":"resolving"}',
      '[]',
      'null',
    ];
    for (const body of bodies)
      expect((await post(`ticket_b/${webhook.id}`, { body, headers: { ...json, 'x-svc-token': secret } })).status).toBe(202);
    const { last } = await as(tenant).get({ id: webhook.id });
    expect(last.map(({ outcome, reason }) => [outcome, reason]).reverse()).toEqual([
      ['not_used', ''],
      ['not_understood', 'state not understood: half'],
      ['not_understood', 'the body is no JSON'],
      ['not_understood', 'the body is no JSON'],
      ['not_understood', 'status not understood: resolving'],
      ['not_used', ''],
      ['not_used', ''],
    ]);
    expect(taken).toEqual([]);
  });

  it('that names our key nowhere has the provider asked, and says so where it cannot be', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'pager_a', name: 'pd' });
    const body = JSON.stringify({ ticket: 'PINC', state: 'done' });
    const token = { ...json, 'x-svc-token': secret };
    expect((await post(`pager_a/${webhook.id}`, { body, headers: token })).body?.outcome).toBe('not_understood');
    keys = ['svc-1', 'svc-2'];
    expect((await post(`pager_a/${webhook.id}`, { body, headers: token })).body?.outcome).toBe('resolved');
    expect(taken.map(({ news }) => news.names)).toEqual([[{ key: 'svc-1' }], [{ key: 'svc-2' }]]);
  });

  it('that could not be done at once is done by the rounds', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow' });
    answer = () => Promise.reject(new Error('the database is away'));
    const headers = { ...json, 'x-svc-token': secret };
    expect((await post(`ticket_a/${webhook.id}`, { body: PORTABLE, headers })).body?.outcome).toBe('waiting');
    answer = async () => ({ outcome: 'resolved', incident: randomUUID() });
    nowMs += 5000;
    expect([await slice.doWaiting(tenant), await slice.doWaiting(tenant)]).toEqual([1, 0]);
    expect((await as(tenant).get({ id: webhook.id })).last).toMatchObject([{ outcome: 'resolved', reason: '' }]);
  });

  it('of which nothing is known says so at once', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow' });
    answer = async () => ({ outcome: 'unknown', incident: null });
    const headers = { ...json, 'x-svc-token': secret };
    expect((await post(`ticket_a/${webhook.id}`, { body: PORTABLE, headers })).body?.outcome).toBe('unknown');
    expect((await as(tenant).get({ id: webhook.id })).last).toMatchObject([
      { outcome: 'unknown', incident_id: null, reason: '' },
    ]);
  });

  it('that may name what is being opened there is tried again for a minute, and says so', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow' });
    answer = async () => ({ outcome: 'waiting', incident: null });
    const headers = { ...json, 'x-svc-token': secret };
    const last = async () => (await as(tenant).get({ id: webhook.id })).last;
    const send = async (): Promise<string | undefined> =>
      (await post(`ticket_a/${webhook.id}`, { body: PORTABLE, headers })).body?.outcome;
    expect(await send()).toBe('waiting');
    for (let rounds = 0; rounds < 11; rounds += 1) {
      nowMs += 5000;
      await slice.doWaiting(tenant);
    }
    const reason = 'it may name what is being opened there just now: tried again until a minute after it came';
    expect(await last()).toMatchObject([{ outcome: 'waiting', reason }]);
    nowMs += 5000;
    await slice.doWaiting(tenant);
    expect(await last()).toMatchObject([{ outcome: 'unknown', reason: '' }]);
    expect(await slice.doWaiting(tenant)).toBe(0);
  });
});

describe('a round', () => {
  it('goes on to other tenants where a provider that has to be asked hangs', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow' });
    answer = () => Promise.reject(new Error('the database is away'));
    for (let count = 0; count < 5; count += 1)
      await post(`ticket_a/${webhook.id}`, {
        body: PORTABLE,
        headers: { ...json, 'x-svc-token': secret, 'x-svc-delivery': `${count}` },
      });
    nowMs += 5000;
    taken.length = 0;
    answer = async () => {
      nowMs += 10_000;
      return { outcome: 'resolved', incident: randomUUID() };
    };
    await slice.doWaiting(tenant);
    expect(taken).toHaveLength(2);
    await slice.doWaiting(tenant);
    expect(taken).toHaveLength(4);
  });
});

describe('a webhook', () => {
  it('keeps nothing of whoever is erased and was named by their address', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow' });
    for (const by of ['Ada@person.test', 'Bob'])
      await post(`ticket_a/${webhook.id}`, {
        body: JSON.stringify({ external_ref: `svc-${randomUUID()}`, status: 'resolved', by }),
        headers: { ...json, 'x-svc-token': secret, 'x-svc-delivery': by },
      });
    const subject = { accounts: [], email: 'ada@person.test', agents: [], devices: [] };
    expect(await slice.data.eraseSubject(tenant, subject)).toEqual({ notify_inbound_deliveries: 1 });
    const told: unknown[] = [];
    for await (const { table, rows } of slice.data.exportRows(tenant))
      if (table === 'notify_inbound_deliveries')
        told.push(...rows.flatMap(({ news }) => (news as ObjectNews[]).map(({ by }) => by)));
    expect(told.toSorted()).toEqual(['Bob', null].toSorted());
  });

  it('has another secret after a rotation, and that before for the hours of overlap', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow' });
    const next = await as(tenant).rotate({ id: webhook.id, overlap_hours: 1 });
    const status = async (value: string) =>
      (await post(`ticket_a/${webhook.id}`, { body: PORTABLE, headers: { ...json, 'x-svc-token': value } })).status;
    expect([await status(secret), await status(next.secret)]).toEqual([202, 202]);
    nowMs += 3_600_001;
    expect([await status(secret), await status(next.secret)]).toEqual([401, 202]);
    await as(tenant).remove({ id: webhook.id });
    expect(await status(next.secret)).toBe(401);
    await expect(as(tenant).rotate({ id: webhook.id, overlap_hours: 169 })).rejects.toThrow();
  });

  it('of the configuration is shown and changed there alone', async () => {
    const done = await post('ticket_a/of-config', { body: PORTABLE, headers: { ...json, 'x-svc-token': SECRET } });
    expect([done.status, taken.at(-1)?.tenant]).toEqual([202, CONFIGURED]);
    expect((await as(CONFIGURED).list()).items).toMatchObject([{ id: 'of-config', source: 'configuration', deliveries: 1 }]);
    await expect(as(CONFIGURED).remove({ id: 'of-config' })).rejects.toMatchObject({ cause: { code: 'conflict' } });
  });

  it('of a connector that is not there is refused, and so is one more than a tenant may have', async () => {
    const wrong = as(tenant).create({ provider: 'ticket_a', name: 'x', connector: 'nobody' });
    await expect(wrong).rejects.toMatchObject({ cause: { code: 'validation' } });
    await database.relational.withTenantSql(tenant, (sql) =>
      sql.query(
        `INSERT INTO notify_inbound_webhooks (tenant_id, id, provider, name, secret, created_by, created_at)
         SELECT $1, $1 || n, 'ticket_a', 'w', 'x', 'x', now() FROM generate_series(1, $2) AS n`,
        [tenant, MAX_INBOUND_WEBHOOKS],
      ),
    );
    await expect(as(tenant).create({ provider: 'ticket_a', name: 'x' })).rejects.toMatchObject({ cause: { code: 'conflict' } });
  });

  it('keeps its deliveries for a month', async () => {
    const { webhook, secret } = await as(tenant).create({ provider: 'ticket_a', name: 'snow' });
    await post(`ticket_a/${webhook.id}`, { body: PORTABLE, headers: { ...json, 'x-svc-token': secret } });
    nowMs += DELIVERY_DAYS * DAY_MS + 1;
    await removeOld(deps, tenant, asSystem(database.relational));
    expect((await as(tenant).get({ id: webhook.id })).last).toEqual([]);
  });
});
