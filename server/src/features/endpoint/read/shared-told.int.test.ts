import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock, type TenantId } from '#kernel';
import type { EndpointDeps } from '../context.ts';
import { type EndpointStack, startEndpointStack } from '../test-stack.ts';
import { readSharedTold } from './shared-told.ts';

let stack: EndpointStack;
beforeAll(async () => {
  stack = await startEndpointStack();
});
afterAll(async () => {
  await stack.close();
});

interface Slow {
  site?: string | null;
  owner?: string | null;
  /** Enrolled so many hours ago. */
  hours?: number;
  fault?: string;
}

/** Devices of one site behind one gateway, slow for one cause. */
async function addSlow(tenant: TenantId, count: number, slow: Slow = {}): Promise<string[]> {
  const { site = 'Floor 3', owner = null, hours = 25, fault = 'wifi_signal' } = slow;
  const ids = await stack.database.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ agent_id: string }>(
      `INSERT INTO endpoint_summary (tenant_id, agent_id, site, owner, ring, state, enrolled_at, last_contact_at, gateway_address, cause, fault_kind, cause_at, verdict_since)
       SELECT current_setting('app.tenant_id'), gen_random_uuid(), $2, $3, 'main', 'running', now() - $4 * interval '1 hour', now(), '10.20.3.1', 'wifi', $5, now(), now() - interval '1 hour'
       FROM generate_series(1, $1::int) RETURNING agent_id`,
      [count, site, owner, hours, fault],
    );
    return rows.map((row) => row.agent_id);
  });
  for (const id of ids) reported.set(id, 6);
  return ids;
}

/** Hours of the last day in which a device reported verdicts. */
const reported = new Map<string, number>();
const asked: number[] = [];
const causeStrip: EndpointDeps['results']['causeStrip'] = async (_, { agentIds, fromMs, toMs, stepMs }) => {
  asked.push(agentIds.length);
  const steps = (toMs - fromMs) / stepMs;
  return new Map(
    agentIds.map((id) => [id, Array.from({ length: steps }, (__, i) => (i < (reported.get(id) ?? 0) ? 'wifi' : null))]),
  );
};
const read = async (tenant: TenantId) =>
  await readSharedTold(
    { relational: stack.database.relational, clock: systemClock, results: { ...stack.results.queries, causeStrip } },
    tenant,
  );

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
    await addSlow(homes, 9, { site: null });
    expect(await read(homes)).toEqual(new Map());
  });

  it('counts only those with the same kind of fault', async () => {
    const tenant = await stack.addTenant('kinds');
    const weak = await addSlow(tenant, 4);
    await addSlow(tenant, 2, { fault: 'wifi_airtime' });
    const told = await read(tenant);
    expect([...told.keys()].sort()).toEqual(weak.sort());
    expect(told.get(weak[0] ?? '')?.others).toBe(3);
  });

  it('counts nothing that was made up on the spot: enrolled today, or silent for most of the day', async () => {
    const tenant = await stack.addTenant('made-up');
    const [neighbour = ''] = await addSlow(tenant, 1);
    await addSlow(tenant, 5, { hours: 23 });
    expect(await read(tenant)).toEqual(new Map());
    const silent = await addSlow(tenant, 5);
    for (const id of silent) reported.set(id, 5);
    expect(await read(tenant)).toEqual(new Map());
    // Three that live: each of them has two others and the neighbour, those that do not count have four.
    await addSlow(tenant, 3);
    const told = await read(tenant);
    expect(told.get(neighbour)).toMatchObject({ others: 3 });
    expect(told.get(silent[0] ?? '')).toMatchObject({ others: 4 });
  });

  it('counts a person once, whatever devices they have', async () => {
    const tenant = await stack.addTenant('persons');
    await addSlow(tenant, 4, { owner: 'Ada@example.org' });
    await addSlow(tenant, 2);
    const [second = ''] = await addSlow(tenant, 1, { owner: 'ada@example.org' });
    expect(await read(tenant)).toEqual(new Map());
    const [third = ''] = await addSlow(tenant, 1);
    const told = await read(tenant);
    expect([told.get(second), told.get(third)]).toMatchObject([{ others: 3 }, { others: 3 }]);
  });

  it('looks at no history where too few are there to be told of', async () => {
    const tenant = await stack.addTenant('quiet');
    await addSlow(tenant, 2);
    asked.length = 0;
    await read(tenant);
    expect(asked).toEqual([]);
  });

  it('never counts devices of another tenant', async () => {
    const [own, other] = [await stack.addTenant('own'), await stack.addTenant('other')];
    await addSlow(own, 2);
    await addSlow(other, 9);
    expect(await read(own)).toEqual(new Map());
  });
});
