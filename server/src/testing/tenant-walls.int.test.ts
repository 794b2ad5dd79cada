import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DIRECTORY_TABLES } from '#relational';
import { ACME, MARK, openWalledProduct, type WalledProduct } from './test-walled-product.ts';

/** Procedures that show what came by OTLP. */
const READ_BY_OTLP = [
  'metrics.names',
  'metrics.values',
  'metrics.range',
  'metrics.rangeByUrl',
  'metrics.exemplars',
  'logs.list',
  'logs.facets',
  'traces.list',
  'traces.spans',
  'traces.scatter',
  'traces.facets',
  'traces.values',
  'traces.get',
];

let walled: WalledProduct;
let owner: pg.Client;

beforeAll(async () => {
  walled = await openWalledProduct();
  owner = new pg.Client({ connectionString: walled.database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner?.end();
  await walled?.close();
});

/** Every row of acme, as the owner of the tables sees it. */
async function snapshotAcme(): Promise<string> {
  const { rows: tables } = await owner.query<{ name: string }>(
    "SELECT c.relname AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1",
  );
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [ACME]);
  const all: string[] = [];
  for (const { name } of tables.filter((table) => !DIRECTORY_TABLES.includes(table.name))) {
    const { rows } = await owner.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t ORDER BY 1`);
    all.push(`${name}: ${rows.map(({ row }) => row).join('\n')}`);
  }
  return all.join('\n');
}

describe.each(['session', 'token'] as const)("another tenant's admin with a %s", (kind) => {
  test('learns nothing of a tenant by any procedure, and changes nothing of it', async () => {
    const before = await snapshotAcme();
    expect(before).toContain(MARK);
    const { policy: _policy, trace: _trace, ...own } = walled.acme;
    let answered = 0;
    for (const { name } of walled.procedures()) {
      const { status, body } = await walled.call(name, walled.inputOf(name), walled.credentials[kind]);
      expect({ name, status: status < 500 }).toEqual({ name, status: true });
      if (status === 200) answered += 1;
      const secrets = status === 200 ? [MARK, ...Object.values(own)] : [MARK];
      for (const secret of secrets) expect({ name, tells: body.includes(secret) }).toEqual({ name, tells: false });
    }
    expect(await snapshotAcme()).toBe(before);
    expect(answered).toBeGreaterThan(15);
  });
});

test('the admin of the tenant itself does see what the other one does not', async () => {
  const shown = ['endpoint.list', 'endpoint.csv', 'endpoint.latest', 'endpoint.device', 'fleet.enrolTokens.list', 'identity.me'];
  for (const name of [
    ...shown,
    'identity.members.list',
    'identity.tokens.list',
    'audit.list',
    'bus.quarantine.list',
    'savedViews.list',
    'tests.list',
    'tests.get',
    'tests.specs',
    'tests.csv',
    'tests.secrets.list',
    'tests.maintenance.list',
    'rum.overview',
    'rum.host',
    'rum.apps.list',
    'incidents.list',
    'incidents.get',
    'changes.list',
    'changes.get',
    'changes.facets',
    'changes.ofIncident',
    'changes.webhooks.list',
    'changes.webhooks.get',
    'notify.connectors.list',
    'notify.connectors.get',
    'notifyRules.list',
    'notify.outbox.list',
    'notify.ofIncident',
    'notifyInbound.list',
    'notifyInbound.get',
    'signals.list',
    ...READ_BY_OTLP,
  ]) {
    expect({ name, shows: (await walled.call(name, walled.inputOf(name), walled.credentials.acme)).body.includes(MARK) }).toEqual(
      {
        name,
        shows: true,
      },
    );
  }
});
