import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseTenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { raiseShared } from './raise-shared.ts';
import { listSharing } from './read/sharing-devices.ts';

const TENANT = parseTenantId('acme');
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await createTenant(database.relational, { id: TENANT, name: TENANT });
});
afterAll(async () => await database?.close());

const addDevices = async (count: number, { cause, gateway, site }: { cause: string; gateway: string; site: string | null }) =>
  await database.relational.withTenantSql(TENANT, async (sql) => {
    await sql.query(
      `INSERT INTO endpoint_summary (tenant_id, agent_id, name, ring, state, enrolled_at, last_contact_at, site, gateway_address, cause_at, cause,
         verdict_since)
       SELECT $1, gen_random_uuid(), 'laptop-of-ann-' || n, 'main', 'running', now() - interval '1 day', now(), $2, $3, now(), $4,
         now() - make_interval(mins => n) FROM generate_series(1, $5::int) n`,
      [TENANT, site, gateway, cause, count],
    );
  });

test('what three devices of a site share is a signal without their names, and it is gone when they are well', async () => {
  const settled: (readonly RaisedSignal[])[] = [];
  const deps = { relational: database.relational, clock: { now: Date.now }, log: pino({ level: 'silent' }) };
  const look = async () => {
    await raiseShared({ ...deps, settle: async (_tenant, _scope, present) => void settled.push(present) }, TENANT);
    return settled.at(-1);
  };
  await addDevices(2, { cause: 'isp', gateway: '10.64.32.1', site: 'Berlin' });
  await addDevices(3, { cause: 'isp', gateway: '192.168.1.1', site: null });
  expect(await look()).toEqual([]);
  await addDevices(1, { cause: 'isp', gateway: '10.64.32.1', site: 'Berlin' });
  await addDevices(4, { cause: 'none', gateway: '10.64.32.1', site: 'Berlin' });
  expect(await look()).toMatchObject([
    { kind: 'endpoint.shared_cause', site: 'Berlin', prefix: '10.64.32.1/24', severity: 'warning', attributes: { cause: 'isp' } },
  ]);
  expect(JSON.stringify(settled)).not.toContain('laptop');
  const devices = await listSharing(deps, TENANT, { site: 'Berlin', gateway: '10.64.32.1', cause: 'isp' });
  expect(devices.map(({ name }) => name)).toEqual(['laptop-of-ann-2', 'laptop-of-ann-1', 'laptop-of-ann-1']);
  await database.relational.withTenantSql(TENANT, (sql) => sql.query("UPDATE endpoint_summary SET cause = 'none'"));
  expect(await look()).toEqual([]);
});
