import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import type { IncidentTransition } from './context.ts';
import { createIncidents } from './index.ts';
import { removeOld } from './retention.ts';
import { createTestIncidents, type TestIncidents } from './test-incidents.ts';

let world: TestIncidents;
let tenant: TenantId;
const told: IncidentTransition[] = [];
let fails = false;
let heldBack: string | null = null;

beforeAll(async () => {
  world = await createTestIncidents({
    observers: [
      async (sql, transitions) => {
        await sql.query('SELECT 1');
        if (fails) throw new Error('the observer failed');
        told.push(...transitions);
      },
    ],
    listSharing: async (_tenant, place) => [
      { id: 'd1', name: `laptop at ${place.site} ${place.gateway} ${place.cause}`, since: null },
    ],
    listDevicesAt: async (_tenant, { limit }) => ['d1', 'd2'].slice(0, limit),
    readCauses: async () =>
      new Map([
        ['d1', ['none', 'wifi', 'wifi', 'wifi', 'wifi']],
        ['d2', ['none', 'none', 'wifi', 'wifi', 'none']],
      ]),
    heldBackBy: async (_tenant, { target, testId }) => (target === 'patched.example' || testId === 'patched' ? heldBack : null),
  });
});
afterAll(async () => await world?.database.close());
beforeEach(async () => {
  tenant = await world.newTenant();
  world.trail.length = 0;
  told.length = 0;
  fails = false;
});

const ask = () => world.as(tenant).incidents;
const raise = async (...signals: RaisedSignal[]) => await world.slice.raise(tenant, signals);
const first = async () => (await ask().list({ sort: 'newest' })).items.at(-1)?.id ?? '';
const recovery = (signal: RaisedSignal): RaisedSignal => ({
  ...signal,
  ...{ recovered: true, occurred_at: new Date(world.now()).toISOString() },
});
const refusal = (code: string) => ({ cause: { code } });

test('an incident is acknowledged, assigned, commented on, resolved and opened again, each with its entries', async () => {
  await raise(world.failing());
  const id = await first();
  expect(await ask().acknowledge({ id })).toMatchObject({ status: 'acknowledged', acknowledged_by: { name: 'Name of ann' } });
  await ask().acknowledge({ id });
  expect(await ask().assign({ id, account: 'ben' })).toMatchObject({ assigned_to: { id: 'ben', name: 'Name of ben' } });
  await expect(ask().assign({ id, account: 'gone' })).rejects.toMatchObject(refusal('validation'));
  expect(await ask().comment({ id, text: '  The line is cut.  ' })).toMatchObject({
    detail: 'The line is cut.',
    actor: { id: 'ann' },
  });
  expect(await ask().resolve({ id })).toMatchObject({ status: 'resolved', resolved_by: { id: 'ann' } });
  await expect(ask().acknowledge({ id })).rejects.toMatchObject(refusal('conflict'));
  expect(await ask().reopen({ id })).toMatchObject({ status: 'open', resolved_at: null, acknowledged_by: null });
  const kinds = ['opened', 'acknowledged', 'assigned', 'commented', 'resolved', 'reopened'];
  const { entries } = await ask().get({ id });
  expect(entries.map(({ kind }) => kind)).toEqual(kinds);
  expect(entries[2]?.detail).toBe('Name of ben');
  expect(told.map(({ kind }) => kind)).toEqual(kinds);
  expect(world.trail.map(({ action }) => action)).toEqual(
    ['acknowledge', 'assign', 'comment', 'resolve', 'reopen'].map((act) => `incident.${act}`),
  );
  expect(JSON.stringify(world.trail)).not.toContain('The line');
});

test('who may only read acts on nothing, and another tenant finds nothing', async () => {
  await raise(world.failing());
  const id = await first();
  const viewer = world.as(tenant, 'viewer').incidents;
  expect(await viewer.get({ id })).toMatchObject({ incident: { id } });
  for (const call of [
    () => viewer.acknowledge({ id }),
    () => viewer.resolve({ id }),
    () => viewer.comment({ id, text: 'x' }),
    () => viewer.setSeverity({ id, severity: 'info' }),
  ])
    await expect(call()).rejects.toMatchObject(refusal('forbidden'));
  await expect(ask().settings.set({ auto_resolve_minutes: 1, edge_failing: true })).rejects.toMatchObject(refusal('forbidden'));
  const stranger = world.as(await world.newTenant(), 'admin');
  expect((await stranger.incidents.list({})).items).toEqual([]);
  expect((await stranger.signals.list({})).items).toEqual([]);
  for (const call of [
    () => stranger.incidents.get({ id }),
    () => stranger.incidents.resolve({ id }),
    () => stranger.incidents.merge({ id, into: id.replace(/^./, 'f') }),
    () => stranger.incidents.removeSignal({ id, signal: id }),
  ])
    await expect(call()).rejects.toMatchObject(refusal('not_found'));
});

test('severity is that of the gravest signal until a person sets it, and again when they give it back', async () => {
  await raise(world.failing({ severity: 'info' }));
  const id = await first();
  await raise(world.failing({ dedup_key: 'b', severity: 'critical' }));
  const severity = async () => (await ask().get({ id })).incident.severity;
  expect(await severity()).toBe('critical');
  expect(await ask().setSeverity({ id, severity: 'info' })).toMatchObject({ severity: 'info', severity_set_by: { id: 'ann' } });
  await raise(world.failing({ dedup_key: 'c', severity: 'critical' }));
  expect(await severity()).toBe('info');
  expect(await ask().setSeverity({ id, severity: null })).toMatchObject({ severity: 'critical', severity_set_by: null });
});

test('two incidents are merged: one goes on with all signals, the other says where they went', async () => {
  await raise(world.failing(), world.failing({ dedup_key: 'b', target: 'other.example', severity: 'critical' }));
  const [b = '', a = ''] = (await ask().list({ sort: 'newest' })).items.map(({ id }) => id);
  expect(await ask().merge({ id: b, into: a })).toMatchObject({
    id: a,
    signal_count: 2,
    open_signal_count: 2,
    severity: 'critical',
  });
  await ask().merge({ id: b, into: a });
  const merged = await ask().get({ id: b });
  expect(merged.incident).toMatchObject({ status: 'resolved', signal_count: 0, resolved_by: { id: 'ann' } });
  expect(merged.related).toMatchObject([{ id: a, why: 'incident 2 was merged into incident 1' }]);
  expect((await ask().get({ id: a })).related).toMatchObject([{ id: b }]);
  expect((await ask().get({ id: a })).signals.map(({ joined_by: why }) => why)).toContain('merged from incident 2 by a person');
  // What it was about leads to the one that goes on.
  await raise(world.failing({ dedup_key: 'c', target: 'other.example' }));
  expect((await ask().get({ id: a })).incident.signal_count).toBe(3);
  for (const call of [() => ask().acknowledge({ id: b }), () => ask().merge({ id: a, into: b })])
    await expect(call()).rejects.toMatchObject(refusal('conflict'));
  await expect(ask().merge({ id: a, into: a })).rejects.toMatchObject(refusal('validation'));
  expect(world.trail.filter(({ action }) => action === 'incident.merge')).toHaveLength(1);
});

test('a signal is taken out: where it still fails it has an incident of its own, and it does not come back', async () => {
  await raise(world.failing(), world.failing({ dedup_key: 'b' }));
  const id = await first();
  const signal = (await ask().get({ id })).signals[1];
  expect(await ask().removeSignal({ id, signal: signal?.id ?? '' })).toMatchObject({ signal_count: 1, open_signal_count: 1 });
  expect((await ask().list({ sort: 'newest' })).items.map(({ number, signal_count: count }) => [number, count])).toEqual([
    [2, 1],
    [1, 1],
  ]);
  world.pass(1);
  await raise(recovery(world.failing({ dedup_key: 'b' })));
  world.pass(1);
  await raise(world.failing({ dedup_key: 'b' }));
  expect((await ask().get({ id })).incident.signal_count).toBe(1);
  await raise(recovery(world.failing()));
  expect((await ask().get({ id })).incident.open_signal_count).toBe(0);
  await expect(ask().removeSignal({ id, signal: id })).rejects.toMatchObject(refusal('not_found'));
  expect(world.trail.at(-1)).toMatchObject({ action: 'incident.remove_signal', detail: { signal: signal?.id } });
});

test('what a person resolves while it fails stays resolved until it recovers and fails again', async () => {
  const scope = { plane: 'tests', kind: 'test.failing', scope: 'all' } as const;
  await world.slice.settle(tenant, scope, [world.failing()]);
  const id = await first();
  await ask().resolve({ id });
  world.pass(2);
  await world.slice.settle(tenant, scope, [world.failing()]);
  await world.keep(tenant);
  expect((await ask().get({ id })).incident.status).toBe('resolved');
  await world.slice.settle(tenant, scope, []);
  world.pass(2);
  // The evaluator dates the failing before its recovery: it fails now all the same.
  const early = world.failing({ occurred_at: new Date(world.now() - 180_000).toISOString() });
  await world.slice.settle(tenant, scope, [early]);
  expect((await ask().get({ id })).incident).toMatchObject({ status: 'open', signal_count: 2 });
});

test('observers are told in the transaction: one that fails undoes the transition, and it is told when it is made', async () => {
  fails = true;
  await expect(raise(world.failing())).rejects.toThrow('the observer failed');
  expect((await ask().list({})).items).toEqual([]);
  fails = false;
  await raise(world.failing());
  expect((await ask().list({})).items).toMatchObject([{ number: 1 }]);
  expect(told).toMatchObject([{ kind: 'opened', actor: 'system', incident: { number: 1, status: 'open' } }]);
});

test('a window of maintenance holds signals back, by target or test, until it is over', async () => {
  heldBack = 'Patching';
  const signal = world.failing({ target: 'https://Patched.example/x' });
  const scope = { plane: 'tests', kind: 'test.failing', scope: 'all' } as const;
  await world.slice.settle(tenant, scope, [signal]);
  expect((await ask().list({})).items).toEqual([]);
  expect(await world.slice.openKeys(tenant, 'test.failing')).toMatchObject([{ heldBack: 'Patching', incident: null }]);
  heldBack = null;
  await world.slice.settle(tenant, scope, [signal]);
  expect((await ask().list({})).items).toMatchObject([{ number: 1, signal_count: 1 }]);
});

test('the pulse tells every change and how many are open', async () => {
  const before = await ask().pulse();
  await raise(world.failing());
  const opened = await ask().pulse();
  expect(opened).toMatchObject({ open: 1, unacknowledged: 1 });
  await ask().acknowledge({ id: await first() });
  const taken = await ask().pulse();
  expect(taken).toMatchObject({ open: 1, unacknowledged: 0 });
  expect(new Set([before.revision, opened.revision, taken.revision]).size).toBe(3);
});

test('the feed passes over nothing, however many write meanwhile', async () => {
  const other = createIncidents(world.deps);
  const total = 60;
  let done = 0;
  const writing = Promise.all(
    Array.from({ length: total }, async (_, n) => {
      await (n % 2 === 0 ? world.slice : other).raise(tenant, world.failing({ dedup_key: `f${n}`, target: `h${n % 7}.example` }));
      done += 1;
    }),
  );
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let idle = 0; idle < 2; ) {
    const page = await world.as(tenant).signals.list({ limit: 3, ...(cursor ? { cursor } : {}) });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
    idle = page.items.length === 0 && done === total ? idle + 1 : 0;
  }
  await writing;
  expect(new Set(seen).size).toBe(total);
  expect(seen).toHaveLength(total);
  // A recovery is told once more.
  world.pass(1);
  await raise(recovery(world.failing({ dedup_key: 'f3', target: 'h3.example' })));
  const news = await world.as(tenant).signals.list({ ...(cursor ? { cursor } : {}) });
  expect(news.items).toMatchObject([{ recovered_at: expect.any(String) }]);
  const newest = await world.as(tenant).signals.list({ order: 'newest', limit: 50 });
  expect(newest.items[0]?.id).toBe(news.items[0]?.id);
  const rest = await world.as(tenant).signals.list({ order: 'newest', limit: 50, cursor: newest.next_cursor ?? '' });
  expect([rest.items.length, rest.next_cursor]).toEqual([10, null]);
  await expect(world.as(tenant).signals.list({ cursor: 'x' })).rejects.toMatchObject(refusal('validation'));
});

test('lists in each order, page after page, and by each filter', async () => {
  const kinds = ['info', 'warning', 'critical'] as const;
  for (let n = 0; n < 9; n += 1) {
    world.pass(1);
    await raise(
      world.failing({
        dedup_key: `l${n}`,
        target: `l${n}.example`,
        severity: kinds[n % 3] ?? 'info',
        site: `Site ${n % 2}`,
        title: `Fails ${n}`,
      }),
    );
  }
  const { items } = await ask().list({ sort: 'newest' });
  for (const { id } of items.slice(0, 4)) await ask().resolve({ id });
  await ask().assign({ id: items[8]?.id ?? '', account: 'ben' });
  for (const sort of ['open_first', 'newest', 'last_seen', 'severity'] as const) {
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<ReturnType<typeof ask>['list']>> = await ask().list({
        sort,
        limit: 2,
        ...(cursor ? { cursor } : {}),
      });
      seen.push(...page.items.map(({ number }) => number));
      cursor = page.next_cursor;
    } while (cursor);
    expect({ sort, seen: seen.length, distinct: new Set(seen).size }).toEqual({ sort, seen: 9, distinct: 9 });
    if (sort === 'open_first') expect(seen).toEqual([5, 4, 3, 2, 1, 9, 8, 7, 6]);
    if (sort === 'severity') expect(seen).toEqual([9, 6, 3, 8, 5, 2, 7, 4, 1]);
  }
  const numbers = async (query: Parameters<ReturnType<typeof ask>['list']>[0]) =>
    (await ask().list({ sort: 'newest', ...query })).items.map(({ number }) => number);
  expect(await numbers({ status: 'resolved' })).toEqual([9, 8, 7, 6]);
  expect(await numbers({ severity: ['critical', 'info'], status: ['open'] })).toEqual([4, 3, 1]);
  expect(await numbers({ search: 'FAILS 3' })).toEqual([4]);
  expect(await numbers({ search: '#7' })).toEqual([7]);
  expect(await numbers({ search: 'l2.exam' })).toEqual([3]);
  expect(await numbers({ target: 'https://L5.example/' })).toEqual([6]);
  expect(await numbers({ site: 'Site 1' })).toEqual([8, 6, 4, 2]);
  expect(await numbers({ assigned_to: 'ben' })).toEqual([1]);
  expect(await numbers({ plane: ['rum'] })).toEqual([]);
  // Five are going on now; the others were until they were resolved, some of them long after they were seen last.
  const at = (minutes: number) => new Date(world.now() + minutes * 60_000).toISOString();
  expect(await numbers({ from: at(0) })).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(await numbers({ from: at(1) })).toEqual([5, 4, 3, 2, 1]);
  expect(await numbers({ from: at(-5), to: at(-2) })).toEqual([6, 5, 4, 3, 2, 1]);
  expect(await numbers({ from: at(1), status: ['resolved'] })).toEqual([]);
  expect(await numbers({ to: at(-7) })).toEqual([1]);
  expect((await ask().list({ search: 'nothing' })).open).toBe(5);
  await expect(ask().list({ cursor: 'x' })).rejects.toMatchObject(refusal('validation'));
});

test('what is older than 400 days goes, with its trail; what still fails stays', async () => {
  const old = world.failing();
  await raise(old, recovery(old), world.failing({ dedup_key: 'lasting', target: 'lasting.example' }));
  world.pass(16);
  await world.keep(tenant);
  world.pass(401 * 24 * 60);
  await removeOld(world.deps, tenant, world.database.relational);
  expect((await ask().list({})).items.map(({ number }) => number)).toEqual([2]);
  expect((await world.as(tenant).signals.list({})).items).toHaveLength(1);
});

test('of somebody who is erased, what they wrote goes and their name; that they acted stays', async () => {
  await raise(world.failing());
  const id = await first();
  const gone = world.as(tenant, 'operator', 'gone').incidents;
  await gone.acknowledge({ id });
  await gone.comment({ id, text: 'Call me: 555-0100' });
  await ask().comment({ id, text: 'Mine.' });
  const outside = { incident: id, what: 'resolve' as const, actor: 'connector/x', detail: 'by Gone@person.test' };
  await world.slice.actFromOutside(tenant, outside);
  await world.slice.data.eraseSubject(tenant, { accounts: ['gone'], email: 'gone@person.test', agents: [], devices: [] });
  const { entries, incident } = await ask().get({ id });
  expect(incident.acknowledged_by).toEqual({ id: 'gone', name: 'former member' });
  expect(entries.filter(({ kind }) => kind === 'resolved').map(({ detail }) => detail)).toEqual(['']);
  expect(entries.filter(({ kind }) => kind === 'commented').map(({ detail }) => detail)).toEqual(['', 'Mine.']);
});

test('a tenant has its export, and nothing is left when it is erased', async () => {
  const mine = parseTenantId('leaving');
  await createTenant(world.database.relational, { id: mine, name: mine });
  await world.slice.raise(mine, [world.failing(), world.failing({ dedup_key: 'b' })]);
  const exported = new Map<string, number>();
  for await (const { table, rows } of world.slice.data.exportRows(mine)) exported.set(table, rows.length);
  expect(Object.fromEntries(exported)).toMatchObject({ incidents: 1, signals: 2, incident_entries: 2, incident_counters: 1 });
  expect(await world.slice.data.eraseTenant(mine)).toMatchObject({ incidents: 1, signals: 2 });
  for await (const { rows } of world.slice.data.exportRows(mine)) expect(rows).toEqual([]);
});

test('devices that share a cause are named to who may see devices, and by no signal', async () => {
  const attributes = { cause: 'isp', 'network.gateway.address': '10.64.32.1' };
  const shared = { plane: 'endpoint', kind: 'endpoint.shared_cause', target: undefined, site: 'Berlin', attributes } as const;
  await raise(world.failing(shared));
  const id = await first();
  expect((await ask().get({ id })).affected.map(({ kind, name }) => [kind, name])).toEqual([
    ['site', 'Berlin'],
    ['device', 'laptop at Berlin 10.64.32.1 isp'],
  ]);
  expect(JSON.stringify((await world.as(tenant).signals.list({})).items)).not.toContain('laptop');
});

test('devices are counted over time at each place that is hurt, for whoever may see devices', async () => {
  await raise(
    world.failing({
      ...{ plane: 'endpoint', kind: 'endpoint.shared_cause', site: 'Berlin', target: undefined, prefix: '10.0.0.0/24' },
      attributes: { cause: 'wifi', 'network.gateway.address': '10.0.0.1' },
    }),
    world.failing({ dedup_key: 'b', target: '10.0.0.9', site: 'Berlin' }),
  );
  const window = { from: new Date(world.now() - 600_000).toISOString(), to: new Date(world.now()).toISOString() };
  const id = await first();
  const seen = await ask().devices({ id, ...window, steps: 5 });
  expect(seen).toEqual({
    ...{ from: window.from, step_seconds: 120 },
    places: [
      {
        ...{ site: 'Berlin', gateway: '10.0.0.1', cause: 'wifi', devices: 2 },
        steps: [0, 1, 2, 2, 1].map((slow) => ({ slow, measured: 2 })),
      },
    ],
  });
  const may = world.as(tenant, 'auditor').incidents;
  await expect(may.devices({ id, ...window })).rejects.toMatchObject(refusal('forbidden'));
  await expect(ask().devices({ id, from: window.to, to: window.from })).rejects.toMatchObject(refusal('validation'));
  const long = new Date(world.now() - 32 * 86_400_000).toISOString();
  await expect(ask().devices({ id, from: long, to: window.to })).rejects.toMatchObject(refusal('validation'));
  await expect(ask().devices({ id, ...window, steps: 201 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  const stranger = world.as(await world.newTenant(), 'admin').incidents;
  await expect(stranger.devices({ id, ...window })).rejects.toMatchObject(refusal('not_found'));
});

test('nobody comments, raises or shows beyond the bounds', async () => {
  await raise(world.failing());
  const id = await first();
  await world.database.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(
      `INSERT INTO incident_entries (tenant_id, id, incident_id, at, kind, actor, detail)
       SELECT $1, gen_random_uuid(), $2, now(), 'commented', 'ann', 'x' FROM generate_series(1, 1000)`,
      [tenant, id],
    );
  });
  await expect(ask().comment({ id, text: 'one more' })).rejects.toMatchObject(refusal('conflict'));
  await expect(ask().comment({ id, text: 'x'.repeat(4001) })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(ask().comment({ id, text: '  ' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect((await ask().get({ id })).entries).toHaveLength(1000);
  const many = Array.from({ length: 10_001 }, () => world.failing());
  await expect(raise(...many)).rejects.toMatchObject({ code: 'too_large' });
  const long = world.failing({ dedup_key: 'long', title: 'x'.repeat(201) });
  await expect(raise(world.failing({ dedup_key: 'well' }), long)).rejects.toMatchObject({ code: 'validation' });
  const flapping = Array.from({ length: 520 }, (_, n) => {
    const at = (ms: number) => new Date(world.now() + ms).toISOString();
    const one = world.failing({ dedup_key: 'flaps', occurred_at: at(n * 10 - 60_000) });
    return [one, { ...one, recovered: true, occurred_at: at(n * 10 - 59_995) }];
  });
  await raise(...flapping.flat());
  const { signals, incident } = await ask().get({ id });
  expect([signals.length, incident.signal_count, incident.open_signal_count]).toEqual([500, 521, 1]);
  const settings = { auto_resolve_minutes: 10_081, edge_failing: false };
  await expect(world.as(tenant, 'admin').incidents.settings.set(settings)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
});

test('what people can do over and over has its bound on each incident, and ending it none', async () => {
  await raise(world.failing(), world.failing({ dedup_key: 'b', target: 'other.example' }));
  const [b = '', a = ''] = (await ask().list({ sort: 'newest' })).items.map(({ id }) => id);
  const sql = async (text: string, values: unknown[]) =>
    await world.database.relational.withTenantSql(tenant, async (door) => void (await door.query(text, values)));
  const fill = async (actor: string) =>
    await sql(
      `INSERT INTO incident_entries (tenant_id, id, incident_id, at, kind, actor, detail)
       SELECT $1, gen_random_uuid(), $2, now(), kind, $3, '' FROM generate_series(1, 1000),
         unnest(ARRAY['assigned', 'severity_set', 'reopened', 'merged']) kind`,
      [tenant, a, actor],
    );
  // What the system did counts for nobody.
  await fill('system');
  expect(await ask().assign({ id: a, account: 'ben' })).toMatchObject({ assigned_to: { id: 'ben' } });
  await fill('ann');
  await expect(ask().assign({ id: a, account: 'mara' })).rejects.toMatchObject(refusal('conflict'));
  await expect(ask().setSeverity({ id: a, severity: 'critical' })).rejects.toMatchObject(refusal('conflict'));
  await expect(ask().merge({ id: b, into: a })).rejects.toMatchObject(refusal('conflict'));
  expect((await ask().get({ id: a })).incident).toMatchObject({ assigned_to: { id: 'ben' }, severity: 'warning' });
  expect(await ask().acknowledge({ id: a })).toMatchObject({ status: 'acknowledged' });
  expect(await ask().resolve({ id: a })).toMatchObject({ status: 'resolved' });
  await expect(ask().reopen({ id: a })).rejects.toMatchObject(refusal('conflict'));
  await sql('UPDATE incidents SET signal_count = 10000 WHERE id = $1', [a]);
  await expect(ask().merge({ id: a, into: b })).rejects.toMatchObject(refusal('conflict'));
  expect((await ask().get({ id: b })).incident).toMatchObject({ status: 'open', signal_count: 1 });
});
