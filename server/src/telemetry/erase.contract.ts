import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import type { ColumnStore } from './ports.ts';

const FILL = `INSERT INTO results (tenant_id, canary_type, agent_id, ts, result_id, present, success, duration_ms)
  SELECT {tenant:String}, 'dns', {agent:String}, now64(3) - toIntervalHour(number % 60), generateUUIDv4(), 1, 1, 1 FROM numbers({rows:UInt32})`;
const MARK = `INSERT INTO sample_marks (tenant_id, hour, writes) SELECT {tenant:String}, intDiv(toUnixTimestamp(now()), 3600) - number, 1 FROM numbers(10)`;

/** What every adapter of the column store promises of erasing. */
export function describeErasing(name: string, open: () => Promise<ColumnStore>): void {
  describe(`${name}: erasing`, () => {
    let store: ColumnStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => await store?.close());

    const newTenant = (): TenantId => parseTenantId(`erase-${randomUUID().slice(0, 8)}`);
    const countOf = async (tenant: TenantId, table: string): Promise<number> => {
      const sql = `SELECT toFloat64(count()) AS n FROM ${table} WHERE tenant_id = {tenant:String}`;
      return (await store.read<{ n: number }>(tenant, sql))[0]?.n ?? -1;
    };

    test('removes ten thousand rows of a tenant, none of a tenant whose name begins alike, and nothing the second time', async () => {
      const tenant = newTenant();
      const other = parseTenantId(`${tenant}-2`);
      for (const one of [tenant, other]) {
        await store.derive(one, FILL, { agent: 'a', rows: 10_000 });
        await store.derive(one, MARK);
      }
      expect(await store.erase(tenant, { table: 'results' })).toBe(10_000);
      expect(await store.erase(tenant, { table: 'sample_marks' })).toBe(10);
      expect(await store.erase(tenant, { table: 'latest_results' })).toBeGreaterThan(0);
      for (const table of ['results', 'sample_marks', 'latest_results']) {
        expect(await countOf(tenant, table)).toBe(0);
        expect(await countOf(other, table)).toBeGreaterThan(0);
        expect(await store.erase(tenant, { table })).toBe(0);
      }
      expect(await countOf(other, 'results')).toBe(10_000);
    });

    test('removes the rows of some agents, and those of the others stay', async () => {
      const tenant = newTenant();
      const other = newTenant();
      const [gone, stays] = [randomUUID(), randomUUID()];
      for (const agent of [gone, stays]) await store.derive(tenant, FILL, { agent, rows: 100 });
      await store.derive(other, FILL, { agent: gone, rows: 100 });
      const where = { column: 'agent_id', values: [gone] };
      expect(await store.erase(tenant, { table: 'results', where })).toBe(100);
      expect(await store.erase(tenant, { table: 'results', where })).toBe(0);
      expect(await countOf(tenant, 'results')).toBe(100);
      expect(await countOf(other, 'results')).toBe(100);
    });

    test('refuses names and values that would have to be quoted', async () => {
      const tenant = newTenant();
      for (const rows of [
        { table: 'results WHERE 1' },
        { table: 'results', where: { column: 'agent_id)', values: ['a'] } },
        { table: 'results', where: { column: 'agent_id', values: ["a') OR ('1' = '1"] } },
      ])
        await expect(store.erase(tenant, rows)).rejects.toMatchObject({ code: 'internal' });
    });
  });
}
