import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { type FleetStack, startFleetStack } from './test-stack.ts';

let stack: FleetStack;
let acme: TenantId;
let rival: TenantId;

beforeAll(async () => {
  stack = await startFleetStack();
  acme = await stack.addTenant('acme');
  rival = await stack.addTenant('rival');
});
afterAll(async () => {
  await stack.close();
});

it('names devices and enrol tokens of the tenant that asks, and forgets those that are removed', async () => {
  const { identity } = await stack.enrolDevice(acme);
  const { kept } = await stack.mintToken(acme, { label: 'Lisbon laptops' });
  const ids = [identity.agent_id, kept.id, 'svc', '00000000-0000-7000-8000-000000000000'];
  await stack.database.relational.withTenantSql(acme, async (sql) => {
    await sql.query("UPDATE agents SET given_name = 'LIS-LT-0004' WHERE id = $1", [identity.agent_id]);
  });
  expect([...(await stack.fleet.nameObjects(acme, ids))]).toEqual(
    expect.arrayContaining([
      [identity.agent_id, 'LIS-LT-0004'],
      [kept.id, 'Lisbon laptops'],
    ]),
  );
  expect((await stack.fleet.nameObjects(rival, ids)).size).toBe(0);
  expect(await stack.fleet.findNamed(acme, ['lis-lt-0004', 'nobody'])).toMatchObject([{ name: 'LIS-LT-0004' }]);
  expect([await stack.fleet.findNamed(rival, ['lis-lt-0004']), await stack.fleet.findNamed(acme, [])]).toEqual([[], []]);
  await stack.database.relational.withTenantSql(acme, async (sql) => {
    await sql.query('DELETE FROM enrol_tokens WHERE id = $1', [kept.id]);
  });
  expect([...(await stack.fleet.nameObjects(acme, ids)).keys()]).toEqual([identity.agent_id]);
});
