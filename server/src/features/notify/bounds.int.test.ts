import { MAX_CONNECTORS } from '@svc/contracts/notify/connector';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { asSystem } from '#relational';
import { KEPT_DAYS, removeOld } from './retention.ts';
import { createTestNotify, type TestNotify } from './test-notify.ts';
import { createTestProvider } from './test-provider.ts';

const DAY_MS = 86_400_000;
let notify: TestNotify;
let tenant: TenantId;
const ticket = createTestProvider('ticket_b');
const CONFIGURED = parseTenantId('configured');

beforeAll(async () => {
  const configured = [
    {
      tenant: CONFIGURED,
      provider: 'ticket_b' as const,
      url: 'https://x.example?project=OPS&name=ops',
      credential: 'of-configuration',
    },
    { tenant: CONFIGURED, provider: 'ticket_b' as const, url: 'https://x.example', credential: '' },
  ];
  notify = await createTestNotify([ticket], { configured });
});
afterAll(async () => await notify?.database.close());
beforeEach(async () => {
  tenant = await notify.newTenant();
  ticket.things.length = 0;
  ticket.calls.length = 0;
});

it('a tenant has so many connectors at most', async () => {
  const as = notify.as(tenant);
  await notify.database.relational.withTenantSql(tenant, (sql) =>
    sql.query(
      `INSERT INTO notify_connectors (tenant_id, id, provider, name, configured, shown, abilities, created_by, created_at)
       SELECT $1, 'c' || n, 'ticket_b', 'c' || n, true, '{}', '{}', 'x', now() FROM generate_series(1, $2) AS n`,
      [tenant, MAX_CONNECTORS],
    ),
  );
  const values = { url: 'https://x.example', credential: 'k' };
  await expect(as.connectors.create({ provider: 'ticket_b', name: 'x', values })).rejects.toMatchObject({
    cause: { code: 'conflict' },
  });
});

it('messages that are done go after their time, and those that nobody sends are dead', async () => {
  const id = await notify.connect(tenant, 'ticket_b');
  const first = await notify.open(tenant);
  await notify.send(tenant);
  await notify.as(tenant).connectors.pause({ id });
  const second = await notify.open(tenant);
  notify.pass(DAY_MS + 1);
  const door = asSystem(notify.database.relational);
  expect(await removeOld(notify.deps, tenant, door)).toBe(1);
  expect([await notify.told(tenant, first), await notify.told(tenant, second)]).toEqual([
    { ticket_b: ['open sent'] },
    { ticket_b: ['open dead'] },
  ]);
  notify.pass(KEPT_DAYS * DAY_MS);
  expect(await removeOld(notify.deps, tenant, door)).toBe(0);
  expect(await notify.told(tenant, first)).toEqual({});
  expect((await notify.as(tenant).ofIncident({ id: first })).items).toMatchObject([{ state: 'open' }]);
});

it('a connector of the configuration is shown without its credential, sends by it, and is changed there alone', async () => {
  await notify.slice.start(() => false);
  await notify.slice.start(() => false);
  const as = notify.as(CONFIGURED);
  const { items } = await as.connectors.list();
  expect(items).toMatchObject([{ source: 'configuration', name: 'ops', settings: { project: 'OPS', url: 'https://x.example' } }]);
  const id = items[0]?.id ?? '';
  for (const change of [
    as.connectors.rename({ id, name: 'x' }),
    as.connectors.change({ id, values: {} }),
    as.connectors.remove({ id }),
  ])
    await expect(change).rejects.toMatchObject({ cause: { code: 'conflict' } });
  await notify.open(CONFIGURED);
  await notify.send(CONFIGURED);
  expect(ticket.calls.map(({ credential }) => credential)).toEqual(['of-configuration']);
});

it('who may read sees, and who may not change does not', async () => {
  const as = notify.as(tenant, 'viewer');
  expect((await as.connectors.list()).items).toEqual([]);
  expect(await as.pulse()).toEqual({ dead: 0, waiting: 0, broken: 0, failing: 0 });
  const values = { credential: 'k' };
  await expect(as.connectors.create({ provider: 'ticket_b', name: 'x', values })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('a secret that is kept never goes along to another host', async () => {
  const as = notify.as(tenant);
  const id = await notify.connect(tenant, 'ticket_b');
  const elsewhere = { url: 'https://elsewhere.example' };
  await expect(as.connectors.change({ id, values: elsewhere })).rejects.toMatchObject({
    cause: { code: 'validation', faults: [{ path: 'values.credential' }] },
  });
  expect(await as.connectors.change({ id, values: { ...elsewhere, credential: 'new' } })).toMatchObject({ settings: elsewhere });
});

it('a token in the query of an address is shown to nobody, and stays while the address comes back as it was shown', async () => {
  const as = notify.as(tenant);
  const url = 'https://x.example/in?token=planted-query-token&team=a';
  const shown = 'https://x.example/in?token=***&team=***';
  const { id } = await as.connectors.create({ provider: 'ticket_b', name: 'x', values: { url, credential: 'k' } });
  await as.connectors.change({ id, values: { url: shown, credential: 'other' } });
  await notify.open(tenant);
  await notify.send(tenant);
  expect(ticket.calls).toMatchObject([{ url, credential: 'other' }]);
  const viewer = notify.as(tenant, 'viewer');
  const exported: unknown[] = [];
  for await (const { rows } of notify.slice.data.exportRows(tenant)) exported.push(...rows);
  const seen = [
    await viewer.connectors.list(),
    await viewer.connectors.get({ id }),
    await viewer.outbox.list({}),
    notify.trail,
    exported,
  ];
  expect(JSON.stringify(seen)).toContain(JSON.stringify(shown).slice(1, -1));
  expect(JSON.stringify(seen)).not.toContain('planted-query-token');
  await expect(as.connectors.change({ id, values: { url: `${shown}&more=1` } })).rejects.toMatchObject({
    cause: { code: 'validation', faults: [{ path: 'values.url' }] },
  });
});
