import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { createTestChanges, type TestChanges } from './test-changes.ts';

let changes: TestChanges;
beforeAll(async () => {
  changes = await createTestChanges();
});
afterAll(async () => await changes?.close());

const AT_START = '2026-06-02T12:00:00Z';
const START = new Date(AT_START);
const before = (minutes: number): string => new Date(START.getTime() - minutes * 60_000).toISOString();

async function newTimeline(events: readonly object[]) {
  const tenant = await changes.newTenant();
  const { webhook, secret } = await changes.as(tenant).webhooks.create({ provider: 'generic', name: 'CI' });
  const own = { id: webhook.id, secret };
  await changes.tell(own, events);
  await changes.settled();
  return { tenant, own };
}
const titlesOf = async (tenant: TenantId, query: object) =>
  (await changes.as(tenant, 'viewer').list(query)).items.map(({ title }) => title);

test('an incident’s candidates are ranked, with what was looked at and dropped', async () => {
  const { tenant } = await newTimeline([
    { title: 'the deploy', kind: 'deploy', target: 'https://Shop.example/', occurred_at: before(11) },
    { title: 'an older one', target: 'shop.example', occurred_at: before(600) },
    { title: 'inside', target: '203.0.113.9', occurred_at: before(1) },
    { title: 'a route', prefix: '203.0.112.0/23', occurred_at: before(2) },
    { title: 'elsewhere', target: 'pay.example', occurred_at: before(3) },
    { title: 'another network', prefix: '198.51.100.0/24', occurred_at: before(3) },
    { title: 'of nothing', occurred_at: before(4) },
    { title: 'too old', target: 'shop.example', occurred_at: before(1500) },
    { title: 'after it', target: 'shop.example', occurred_at: before(-6) },
  ]);
  const incident = changes.addIncident(tenant, [{ target: 'shop.example' }, { prefix: '203.0.113.0/24' }], START);
  const found = await changes.as(tenant, 'viewer').ofIncident({ id: incident });
  expect(found.items.map(({ change, score }) => [change.title, Number(score.toFixed(3))])).toEqual([
    ['the deploy', 0.997],
    ['inside', 0.88],
    ['an older one', 0.833],
    ['a route', 0.819],
  ]);
  expect(found.items[0]).toMatchObject({
    sentence: 'exact target 1.0 x 0.6 + 11 minutes before x 0.4 = 0.997',
    topology: { kind: 'same_target', score: 1, why: 'same target shop.example' },
    recency: { seconds_before: 660 },
    verdict: null,
  });
  expect(found).toMatchObject({
    window: { from: '2026-06-01T12:00:00.000Z', to: '2026-06-02T12:05:00.000Z', hours: 24, grace_minutes: 5 },
    looked_at: { changes: 7, candidates: 4, elsewhere: 2, untargeted: 1, bounded: false },
    anchors: ['shop.example', '203.0.113.0/24'],
  });
});

test('of an incident without a target every change of its time is a candidate, by its time alone', async () => {
  const { tenant } = await newTimeline([
    { title: 'of nothing', occurred_at: before(60) },
    { title: 'of something', target: 'shop.example', occurred_at: before(30) },
  ]);
  const incident = changes.addIncident(tenant, [], START);
  const { items, looked_at } = await changes.as(tenant).ofIncident({ id: incident });
  expect(items.map(({ change, topology }) => [change.title, topology.kind])).toEqual([
    ['of something', 'untargeted'],
    ['of nothing', 'untargeted'],
  ]);
  expect(looked_at).toMatchObject({ candidates: 2, elsewhere: 0, untargeted: 0 });
});

test('what a person says of a candidate is shown, moves nothing, can be taken back, and is in the trail once', async () => {
  const { tenant } = await newTimeline([
    { title: 'first', target: 'shop.example', occurred_at: before(1) },
    { title: 'second', target: 'shop.example', occurred_at: before(2) },
  ]);
  const id = changes.addIncident(tenant, [{ target: 'shop.example' }], START);
  const as = changes.as(tenant, 'operator', 'ben');
  const [first, second] = (await as.ofIncident({ id })).items.map(({ change }) => change.id);
  for (const verdict of ['cause', 'ruled_out', 'ruled_out'] as const) await as.judge({ id, change: first ?? '', verdict });
  await as.judge({ id, change: second ?? '', verdict: 'cause' });
  expect((await as.ofIncident({ id })).items).toMatchObject([
    { change: { title: 'first' }, verdict: { verdict: 'ruled_out', by: { id: 'ben', name: 'Name of ben' } } },
    { change: { title: 'second' }, verdict: { verdict: 'cause' } },
  ]);
  await as.judge({ id, change: first ?? '', verdict: null });
  expect((await as.ofIncident({ id })).items[0]?.verdict).toBeNull();
  // Whatever was said anew is told to what explains the incident, and what was said already is not.
  expect(changes.judged.filter((incident) => incident === id)).toHaveLength(4);
  const said = changes.trail.filter(({ tenant: of, action }) => of === tenant && action === 'change.judge');
  expect(said.map(({ detail }) => detail?.verdict)).toEqual(['cause', 'ruled_out', 'cause', 'taken back']);
  await expect(changes.as(tenant, 'viewer').judge({ id, change: first ?? '', verdict: 'cause' })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
});

test('the timeline is narrowed by text, kind, source, target, network, actor and time, page by page', async () => {
  const { tenant } = await newTimeline([
    {
      title: 'Deploy Shop',
      kind: 'deploy',
      source: 'argo',
      target: 'shop.example',
      actor: 'ana',
      ref: 'abc123',
      occurred_at: before(10),
    },
    { title: 'Address', kind: 'config', source: 'ansible', target: '203.0.113.9', actor: 'ben', occurred_at: before(20) },
    { title: 'Route', kind: 'route', source: 'ansible', prefix: '203.0.113.0/24', occurred_at: before(30) },
    { title: 'Wide route', kind: 'route', source: 'ansible', prefix: '203.0.0.0/16', occurred_at: before(40) },
    { title: 'IPv6', kind: 'route', source: 'ansible', prefix: '2001:db8:1::/48', occurred_at: before(50) },
    { title: 'Mapped', kind: 'other', target: '::ffff:198.51.100.7', occurred_at: before(60) },
    { title: 'Nowhere', kind: 'other', summary: 'the quick brown fox', occurred_at: before(70) },
  ]);
  const cases: readonly [object, readonly string[]][] = [
    [{ search: 'SHOP' }, ['Deploy Shop']],
    [{ search: 'brown' }, ['Nowhere']],
    [{ search: 'abc123' }, ['Deploy Shop']],
    [{ search: '#2' }, ['Address']],
    [{ search: '%' }, []],
    [{ kind: ['deploy', 'config'] }, ['Deploy Shop', 'Address']],
    [{ source: 'argo' }, ['Deploy Shop']],
    [{ actor: 'ben' }, ['Address']],
    [{ target: 'https://shop.example/cart' }, ['Deploy Shop']],
    [{ target: '198.51.100.7' }, ['Mapped']],
    [{ prefix: '203.0.113.0/24' }, ['Address', 'Route', 'Wide route']],
    [{ prefix: '203.0.113.9' }, ['Address', 'Route', 'Wide route']],
    [{ prefix: '203.0.113.128/25' }, ['Route', 'Wide route']],
    [{ prefix: '203.0.0.0/15' }, ['Address', 'Route', 'Wide route']],
    [{ prefix: '198.51.100.0/24' }, ['Mapped']],
    [{ prefix: '2001:db8::/32' }, ['IPv6']],
    [{ prefix: '2001:db8:1:2::3' }, ['IPv6']],
    [{ prefix: '0.0.0.0/0' }, ['Address', 'Route', 'Wide route', 'Mapped']],
    [{ untargeted: true }, ['Nowhere']],
    [{ from: before(25), to: before(10) }, ['Address']],
  ];
  for (const [query, wanted] of cases) expect([query, await titlesOf(tenant, query)]).toEqual([query, wanted]);
  await expect(titlesOf(tenant, { prefix: 'shop' })).rejects.toMatchObject({ cause: { code: 'validation' } });
  await expect(titlesOf(tenant, { cursor: 'x' })).rejects.toMatchObject({ cause: { code: 'validation' } });
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await changes.as(tenant).list({ limit: 3, cursor });
    seen.push(...page.items.map(({ title }) => title));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(seen).toEqual(['Deploy Shop', 'Address', 'Route', 'Wide route', 'IPv6', 'Mapped', 'Nowhere']);
  expect(await changes.as(tenant).facets()).toEqual({ sources: ['ansible', 'generic', 'argo'], actors: ['ana', 'ben'] });
});

test('charts mark changes on their targets and on networks around these', async () => {
  const { tenant } = await newTimeline([
    { title: 'on it', target: 'shop.example', occurred_at: before(10) },
    { title: 'around it', prefix: '203.0.113.0/24', occurred_at: before(20) },
    { title: 'elsewhere', target: 'pay.example', occurred_at: before(20) },
    { title: 'before', target: 'shop.example', occurred_at: before(200) },
  ]);
  const marks = await changes
    .as(tenant)
    .marks({ targets: ['https://shop.example/', '203.0.113.9:443'], from: before(60), to: AT_START });
  expect([marks.total, marks.items.map(({ title }) => title)]).toEqual([2, ['on it', 'around it']]);
  const networks = await changes.as(tenant).marks({ targets: ['203.0.113.0/25'], from: before(60), to: AT_START });
  expect(networks.items.map(({ title }) => title)).toEqual(['around it']);
  expect(await changes.as(tenant).marks({ targets: [], from: before(60), to: AT_START })).toEqual({ items: [], total: 0 });
});

test('a webhook’s table gives targets to changes that name none, shown before it holds', async () => {
  const of = (repository: string, more: object = {}) => ({
    title: repository,
    occurred_at: before(5),
    attributes: { repository, environment: 'production' },
    ...more,
  });
  const { tenant, own } = await newTimeline([of('acme/shop'), of('acme/pay'), of('acme/named', { target: 'named.example' })]);
  const as = changes.as(tenant);
  const row = { repository: 'acme/shop', environment: 'prod*', path: '', target: 'Shop.example.', prefix: null };
  const wide = { repository: 'acme/*', environment: '', path: '', target: null, prefix: '203.0.113.0/24' };
  expect(await as.webhooks.preview({ id: own.id, rules: [row, wide] })).toMatchObject({
    looked_at: 2,
    matched: 2,
    by_rule: [1, 1],
  });
  expect((await as.list({ untargeted: true })).items).toHaveLength(2);
  await as.webhooks.setTargets({ id: own.id, rules: [row, wide] });
  const places = async () =>
    Object.fromEntries((await as.list({})).items.map((one) => [one.title, [one.target ?? one.prefix, one.target_from]]));
  expect(await places()).toEqual({
    'acme/shop': ['shop.example', 'table'],
    'acme/pay': ['203.0.113.0/24', 'table'],
    'acme/named': ['named.example', 'change'],
  });
  await changes.tell(own, of('acme/shop', { id: 'later', title: 'later' }));
  await changes.settled();
  expect((await places()).later).toEqual(['shop.example', 'table']);
  expect((await as.webhooks.get({ id: own.id })).webhook.without_target).toBe(0);
  await expect(as.webhooks.setTargets({ id: own.id, rules: [{ ...row, prefix: '10.0.0.0/99' }] })).rejects.toMatchObject({
    cause: { code: 'validation' },
  });
  await as.webhooks.setTargets({ id: own.id, rules: [] });
  expect((await places())['acme/shop']).toEqual([null, null]);
});

test('an erased tenant leaves nothing, and an erased address is no actor any more', async () => {
  const { tenant } = await newTimeline([
    { title: 'a', actor: 'Ana@Acme.test', occurred_at: before(1) },
    { title: 'b', actor: 'ben', occurred_at: before(1) },
  ]);
  const { data } = changes.slice;
  expect(await data.eraseSubject(tenant, { accounts: [], email: 'ana@acme.test', agents: [], devices: [] })).toEqual({
    changes: 1,
  });
  expect((await changes.as(tenant).list({})).items.map(({ actor }) => actor)).toEqual(['ben', null]);
  expect(await titlesOf(tenant, { search: 'ana@acme' })).toEqual([]);
  const erased = await data.eraseTenant(tenant);
  expect(erased).toMatchObject({ changes: 2, change_webhooks: 1, change_deliveries: 1, change_counters: 1 });
  for await (const { rows } of data.exportRows(tenant)) expect(rows).toEqual([]);
});
