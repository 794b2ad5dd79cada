import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, type TenantId } from '#kernel';
import { type EndpointStack, startEndpointStack } from '../test-stack.ts';
import { readSharedTold } from './shared-told.ts';

let stack: EndpointStack;
beforeAll(async () => {
  stack = await startEndpointStack();
});
afterAll(async () => {
  await stack.close();
});

/** Devices of one site behind one gateway, slow for one cause. */
async function addSlow(tenant: TenantId, count: number, site: string | null = 'Floor 3'): Promise<string[]> {
  return await stack.database.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ agent_id: string }>(
      `INSERT INTO endpoint_summary (tenant_id, agent_id, site, ring, state, enrolled_at, last_contact_at, gateway_address, cause, cause_at, verdict_since)
       SELECT current_setting('app.tenant_id'), gen_random_uuid(), $2, 'main', 'running', now(), now(), '10.20.3.1', 'wifi', now(), now() - interval '1 hour'
       FROM generate_series(1, $1::int) RETURNING agent_id`,
      [count, site],
    );
    return rows.map((row) => row.agent_id);
  });
}
const read = async (tenant: TenantId) =>
  await readSharedTold({ relational: stack.database.relational, clock: systemClock }, tenant);

describe('what a device may be told of others at its place', () => {
  it('is how many they are and since when, from three others on', async () => {
    const tenant = await stack.addTenant('many');
    const ids = await addSlow(tenant, 4);
    const told = await read(tenant);
    expect([...told.keys()].sort()).toEqual(ids.sort());
    expect(told.get(ids[0] ?? '')).toEqual({ cause: 'wifi', others: 3, sinceMs: expect.any(Number) });
  });

  it('is nothing of two or three devices, nor of such that have no site', async () => {
    for (const count of [2, 3]) {
      const tenant = await stack.addTenant(`few${count}`);
      await addSlow(tenant, count);
      expect(await read(tenant)).toEqual(new Map());
    }
    const homes = await stack.addTenant('homes');
    await addSlow(homes, 9, null);
    expect(await read(homes)).toEqual(new Map());
  });

  it('never counts devices of another tenant', async () => {
    const [own, other] = [await stack.addTenant('own'), await stack.addTenant('other')];
    await addSlow(own, 2);
    await addSlow(other, 9);
    expect(await read(own)).toEqual(new Map());
  });
});
