import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TenantId } from '#kernel';
import { createIncidents } from './index.ts';
import { createTestIncidents, type TestIncidents } from './test-incidents.ts';

let world: TestIncidents;
let tenant: TenantId;

beforeAll(async () => {
  world = await createTestIncidents();
});
afterAll(async () => await world?.database.close());
beforeEach(async () => {
  tenant = await world.newTenant();
  world.trail.length = 0;
});

const list = async () => (await world.as(tenant).incidents.list({})).items;
const view = async (number: number) => {
  const found = (await list()).find((one) => one.number === number);
  return await world.as(tenant).incidents.get({ id: found?.id ?? '' });
};
const raise = async (...signals: RaisedSignal[]) => await world.slice.raise(tenant, signals);
const again = (signal: RaisedSignal): RaisedSignal => ({
  ...signal,
  recovered: true,
  occurred_at: new Date(world.now()).toISOString(),
});

test('a signal opens an incident that says what hurts, where and since when', async () => {
  await raise(world.failing({ severity: 'critical', site: 'Berlin' }));
  const { incident, sentence, signals, entries, affected } = await view(1);
  expect(incident).toMatchObject({
    ...{ number: 1, status: 'open', severity: 'critical', target: 'shop.example', site: 'Berlin', title: 'Shop home fails' },
    ...{ signal_count: 1, open_signal_count: 1, planes: ['tests'], resolved_by: null },
    started_at: new Date(world.now()).toISOString(),
  });
  expect(sentence).toBe('Shop home fails (Berlin).');
  expect(signals).toMatchObject([{ joined_by: 'opened', incident_id: incident.id, target: 'shop.example' }]);
  expect(entries).toMatchObject([{ kind: 'opened', actor: { id: 'system' } }]);
  expect(affected).toMatchObject([{ kind: 'test', id: 'test/1', recovered_at: null }]);
  const counted = { name: 'svc.incidents.transitions', value: 1, attributes: { kind: 'opened', tenant } };
  expect(world.slice.counts()).toContainEqual(counted);
});

test('what is raised again while it fails, delivered twice or late, changes nothing', async () => {
  const signal = world.failing();
  await raise(signal);
  await raise(signal, signal);
  world.pass(5);
  await raise(again(signal));
  // The bus delivers the first one once more, after the recovery.
  await raise(signal);
  const { incident, signals } = await view(1);
  expect(incident).toMatchObject({ signal_count: 1, open_signal_count: 0 });
  expect(signals).toHaveLength(1);
  expect(await list()).toHaveLength(1);
});

test('signals of other planes join and say by which rule', async () => {
  await raise(world.failing());
  await raise(
    world.failing({ dedup_key: 'test/2', target: 'SHOP.example.:443' }),
    world.failing({ dedup_key: 'test/3', target: 'shop.example:25' }),
    world.failing({
      ...{ plane: 'otlp', kind: 'otlp.edge_failing', dedup_key: 'edge', target: 'checkout' },
      attributes: { 'service.name': 'checkout', 'server.address': 'shop.example' },
    }),
  );
  const { signals, incident } = await view(1);
  expect(signals.map(({ joined_by: why }) => why).sort()).toEqual(
    ['opened', 'same target', 'same host, ports 443 and 25', 'both lead to shop.example'].sort(),
  );
  expect(incident.planes.toSorted()).toEqual(['otlp', 'tests']);
});

test('pages of a host are told of an incident by each host that it is about, in whatever spelling it was raised', async () => {
  await raise(world.failing({ target: 'https://Shop.example/health' }));
  const edge = { plane: 'otlp', kind: 'otlp.edge_failing', target: 'checkout', dedup_key: 'edge' } as const;
  await raise(world.failing({ ...edge, attributes: { 'server.address': 'shop.example,pay.example' } }));
  await raise(world.failing({ dedup_key: 'test/2', target: 'https://PAY.example./health' }));
  const span = { fromMs: world.now() - 60_000, toMs: world.now() + 60_000 };
  const numbersOf = async (target: string) => (await world.slice.ofTarget(tenant, target, span)).map(({ number }) => number);
  expect((await list()).map(({ number, target }) => [number, target])).toEqual([[1, 'shop.example']]);
  expect(await numbersOf('shop.example')).toEqual([1]);
  expect(await numbersOf('pay.example')).toEqual([1]);
  expect(await numbersOf('pay.example:8443')).toEqual([]);
  expect(await numbersOf('mail.example')).toEqual([]);
  expect(await numbersOf('')).toEqual([]);
  // The users of a host are those of its tests at any port.
  await raise(world.failing({ dedup_key: 'test/3', target: 'https://api.example:9443/' }));
  expect([await numbersOf('api.example'), await numbersOf('https://api.example/')]).toEqual([[2], []]);
});

test('many at once, on two replicas, open one incident, and numbers have no gap', async () => {
  const other = createIncidents(world.deps);
  const signals = Array.from({ length: 40 }, (_, n) => world.failing({ dedup_key: `test/${n}` }));
  await Promise.all(signals.map((signal, n) => (n % 2 === 0 ? world.slice : other).raise(tenant, signal)));
  expect(await list()).toMatchObject([{ number: 1, signal_count: 40 }]);
  const apart = Array.from({ length: 12 }, (_, n) => world.failing({ dedup_key: `apart/${n}`, target: `host${n}.example` }));
  await Promise.all([
    ...apart.map((signal, n) => (n % 2 === 0 ? world.slice : other).raise(tenant, signal)),
    ...apart.map((signal, n) => (n % 2 === 0 ? other : world.slice).raise(tenant, signal)),
    // One that fails half-way leaves no gap.
    world.slice.raise(tenant, world.failing({ target: 'x', attributes: { a: '\u0000' } })).catch(() => undefined),
  ]);
  expect((await list()).map(({ number }) => number).sort((a, b) => a - b)).toEqual(Array.from({ length: 13 }, (_, n) => n + 1));
});

test('all that recovered for 15 minutes resolves by itself and says so; the same failing within 60 minutes opens it again', async () => {
  const signal = world.failing();
  await raise(signal);
  world.pass(10);
  await raise(again(signal));
  world.pass(14);
  await world.keep(tenant);
  expect(await list()).toMatchObject([{ status: 'open', open_signal_count: 0 }]);
  world.pass(1);
  await world.keep(tenant);
  const { incident, sentence, entries } = await view(1);
  expect(incident).toMatchObject({ status: 'resolved', resolved_by: { id: 'system' } });
  expect(sentence).toContain('It resolved automatically');
  expect(entries.at(-1)).toMatchObject({ kind: 'resolved', actor: { id: 'system' }, detail: 'nothing failed for 15 minutes' });
  world.pass(59);
  await raise(world.failing());
  expect(await list()).toMatchObject([{ number: 1, status: 'open', resolved_at: null, signal_count: 2, open_signal_count: 1 }]);
  expect((await view(1)).entries.map(({ kind }) => kind)).toContain('reopened');
  await raise(again(signal));
  world.pass(16);
  await world.keep(tenant);
  world.pass(61);
  await raise(world.failing());
  expect((await list()).map(({ number }) => number)).toEqual([2, 1]);
});

test('what a tenant chose decides when it resolves; 0 is never', async () => {
  const admin = world.as(tenant, 'admin').incidents;
  await admin.settings.set({ auto_resolve_minutes: 0, edge_failing: false });
  const signal = world.failing();
  await raise(signal, again(signal));
  world.pass(600);
  await world.keep(tenant);
  expect(await list()).toMatchObject([{ status: 'open' }]);
  await admin.settings.set({ auto_resolve_minutes: 1, edge_failing: false });
  await world.keep(tenant);
  expect(await list()).toMatchObject([{ status: 'resolved' }]);
  expect(world.trail.map(({ action }) => action)).toEqual(['incident_settings.set', 'incident_settings.set']);
});

test('an event that goes on for hours stays one', async () => {
  await raise(world.failing());
  for (let hour = 0; hour < 3; hour += 1) {
    world.pass(60);
    await world.keep(tenant);
  }
  world.pass(30);
  await raise(world.failing({ dedup_key: 'test/2' }));
  expect(await list()).toMatchObject([{ number: 1, signal_count: 2, last_seen_at: new Date(world.now()).toISOString() }]);
});

test('settling raises what is present, keeps it, and ends what is gone', async () => {
  const scope = { plane: 'tests', kind: 'test.failing', scope: 'all' } as const;
  const [one, two] = [world.failing({ dedup_key: 'a' }), world.failing({ dedup_key: 'b', target: 'other.example' })];
  await world.slice.settle(tenant, scope, [one, two]);
  await raise(world.failing({ dedup_key: 'not-of-it', target: 'third.example' }));
  expect((await world.slice.openKeys(tenant, 'test.failing')).map(({ dedupKey }) => dedupKey)).toEqual(['a', 'b', 'not-of-it']);
  world.pass(1);
  await world.slice.settle(tenant, scope, [one]);
  await world.slice.settle(tenant, scope, [one]);
  const open = await world.slice.openKeys(tenant, 'test.failing');
  expect(open).toMatchObject([{ dedupKey: 'a', scope: 'all', incident: { number: 1 } }, { dedupKey: 'not-of-it' }]);
  const { items } = await world.as(tenant).signals.list({});
  expect(items.filter(({ recovered_at: at }) => at !== null)).toMatchObject([{ target: 'other.example' }]);
  expect((await view(1)).signals[0]?.last_seen_at).toBe(new Date(world.now()).toISOString());
});

test('a signal of maintenance is kept and opens nothing, and is put where it belongs when it still fails afterwards', async () => {
  await raise(world.failing({ held_back: 'window Patching' }));
  expect(await list()).toEqual([]);
  expect((await world.as(tenant).signals.list({})).items).toMatchObject([{ held_back: 'window Patching', incident_id: null }]);
  world.pass(5);
  await raise(world.failing());
  expect(await list()).toMatchObject([{ number: 1, signal_count: 1 }]);
});

test('two replicas resolve an incident once, and another one goes on where the first was closed', async () => {
  const replicas = [createIncidents(world.deps), createIncidents(world.deps)] as const;
  await world.as(tenant, 'admin').incidents.settings.set({ auto_resolve_minutes: 1, edge_failing: false });
  const signal = world.failing();
  await raise(signal, again(signal));
  world.pass(2);
  for (const replica of replicas) replica.start(() => true);
  await expect.poll(async () => (await list())[0]?.status, { timeout: 20_000 }).toBe('resolved');
  expect((await view(1)).entries.filter(({ kind }) => kind === 'resolved')).toHaveLength(1);
  await replicas[0].close();
  world.pass(61);
  const late = world.failing({ dedup_key: 'late', target: 'late.example' });
  await raise(late, again(late));
  world.pass(2);
  await expect.poll(async () => (await list()).find(({ number }) => number === 2)?.status, { timeout: 40_000 }).toBe('resolved');
  await replicas[1].close();
}, 80_000);

test('a clock that is ahead dates nothing into the future, one that is behind does not undo what came after', async () => {
  const ahead = world.failing({ occurred_at: new Date(world.now() + 3_600_000).toISOString() });
  await raise(ahead);
  const now = new Date(world.now()).toISOString();
  expect((await view(1)).incident).toMatchObject({ started_at: now, last_seen_at: now });
  await raise(again(ahead));
  expect((await view(1)).incident.open_signal_count).toBe(0);
});

test('a test that does not run is no part of an outage of its target; those of one runner are one incident, without a target', async () => {
  const silent = (key: string, target: string, runner: string) =>
    world.failing({
      ...{ kind: 'test.not_running', title: `${key} does not run`, dedup_key: key, target },
      attributes: { 'test.id': key, 'test.type': 'icmp', 'runner.id': runner, reason: 'runner_not_capable' },
    });
  await raise(world.failing({ target: '203.0.113.9' }));
  await raise(silent('a', '203.0.113.9', 'berlin'), silent('b', 'shop.example', 'berlin'), silent('c', 'shop.example', 'porto'));
  expect((await list()).map(({ number, target, signal_count: count }) => [number, target, count]).sort()).toEqual([
    [1, '203.0.113.9', 1],
    [2, null, 2],
    [3, null, 1],
  ]);
  expect((await view(2)).signals.map(({ joined_by: why }) => why)).toEqual(['opened', 'not run for the same reason']);
  // The outage comes after the silence.
  await raise(world.failing({ dedup_key: 'd', target: 'shop.example' }));
  expect((await list()).find(({ number }) => number === 4)).toMatchObject({ target: 'shop.example', signal_count: 1 });
  // Counted anew, it is known by the same.
  await world.as(tenant).incidents.merge({ id: (await view(3)).incident.id, into: (await view(2)).incident.id });
  await raise(silent('e', 'late.example', 'porto'), world.failing({ dedup_key: 'f', target: 'shop.example:25' }));
  expect((await list()).map(({ number, signal_count: count }) => [number, count]).sort()).toEqual([
    [1, 1],
    [2, 4],
    [3, 0],
    [4, 2],
  ]);
});

test('its harm begins with what hurts, and not with a certificate that was to end', async () => {
  const attributes = { 'test.id': 'test/2' };
  await raise(world.failing({ kind: 'test.certificate_expiring', dedup_key: 'certificate/1', attributes }));
  const { incident } = await view(1);
  const startedAt = async () => {
    const about = await world.database.relational.withTenantSql(tenant, (sql) => world.slice.describeIncident(sql, incident.id));
    const explained = await world.slice.explained(tenant, { id: incident.id, isAsked: false });
    expect(explained.started_at).toEqual(about.startedAt);
    return about.startedAt.getTime();
  };
  expect(await startedAt()).toBe(world.now());
  world.pass(3 * 24 * 60);
  await raise(world.failing());
  expect((await view(1)).incident.signal_count).toBe(2);
  expect(await startedAt()).toBe(world.now());
});

test('a test that nobody runs is about its runner: what changes at its target has nothing to do with it', async () => {
  const attributes = { 'test.id': 'test/1', reason: 'no_runner_connected', 'runner.id': 'berlin' };
  await raise(world.failing({ kind: 'test.not_running', attributes }));
  const { incident } = await view(1);
  const { anchors } = await world.database.relational.withTenantSql(tenant, (sql) =>
    world.slice.describeIncident(sql, incident.id),
  );
  expect(anchors.map(({ value }) => value)).toEqual(['not run: no_runner_connected berlin']);
});
