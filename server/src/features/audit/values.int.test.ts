import { PERMISSIONS } from '@svc/contracts/permissions';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCallerFactory } from '#api';
import { createSealer } from '#crypto';
import { type AuditEntry, parseTenantId, systemClock, type TenantId } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createAudit } from './index.ts';
import { readFormerNames } from './values.ts';

const DEVICE = '01990000-0000-7000-8000-000000000001';
const OTHER = '01990000-0000-7000-8000-000000000002';

let database: TestDatabase;
let owner: pg.Client;
let audit: ReturnType<typeof createAudit>;

beforeAll(async () => {
  database = await createTestDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  audit = createAudit({
    relational: database.relational,
    sealer: createSealer(Buffer.alloc(32, 1)),
    clock: systemClock,
    nameActors: async (_, ids) => new Map(ids.includes(DEVICE) ? [[DEVICE, 'now']] : []),
    retentionDays: 400,
    dataDir: '/nonexistent',
    log: pino({ level: 'silent' }),
  });
});
afterAll(async () => {
  await owner.end();
  await database.close();
});

type Values = Pick<NonNullable<AuditEntry['change']>, 'before' | 'after'>;

const write = (tenant: TenantId, entry: Omit<AuditEntry, 'actor'> & Partial<AuditEntry>) =>
  database.relational.withTenantSql(tenant, (sql) => audit.appendAudit(sql, { actor: { kind: 'account', id: 'ann' }, ...entry }));
const change = (tenant: TenantId, action: string, { agentId = DEVICE, ...values }: Values & { agentId?: string }) =>
  write(tenant, { action, object: { type: 'agent', id: agentId }, change: { agentId, ...values } });

async function list(tenant: TenantId) {
  const principal = { kind: 'account', id: 'ann', tenant, permissions: new Set(PERMISSIONS) } as const;
  const asks = createCallerFactory(audit.procedures)({ requestId: 'r1', ctx: { principal, requestId: 'r1' } });
  return (await asks.list({})).items.toReversed();
}
const isWhole = async (tenant: TenantId) => (await audit.verify(tenant, { maxEntries: 1000 })).ok;

test('an entry of a change tells what it replaced and with what, and every entry the name of its time', async () => {
  const tenant = parseTenantId('renamed');
  await write(tenant, { actor: { kind: 'agent', id: DEVICE }, action: 'agent.enrol', object: { type: 'agent', id: DEVICE } });
  await change(tenant, 'agent.rename', { before: 'LIS-LT-0034', after: 'Helena' });
  await change(tenant, 'agent.set_site', { before: null, after: 'Porto' });
  await change(tenant, 'agent.rename', { before: 'Helena', after: 'now' });
  expect((await list(tenant)).map(({ actor, object, change: told }) => [actor.name, object?.name, told])).toEqual([
    ['LIS-LT-0034', 'LIS-LT-0034', null],
    [null, 'Helena', { state: 'kept', from: 'LIS-LT-0034', to: 'Helena' }],
    [null, 'Helena', { state: 'kept', from: null, to: 'Porto' }],
    [null, 'now', { state: 'kept', from: 'Helena', to: 'now' }],
  ]);
  expect(await isWhole(tenant)).toBe(true);
});

/** Rows that a query reads at any place of its plan. */
interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}
const rowsRead = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, one) => sum + rowsRead(one), 0);

test('a page reads a row for each of its entries, however often its devices and others were renamed since', async () => {
  const tenant = parseTenantId('restless');
  const writeAll = async (agentId: string, action: string, count: number) =>
    await database.relational.withTenantSql(tenant, async (sql) => {
      for (let i = 0; i < count; i += 1) {
        const values = { agentId, before: `name ${i}`, after: `name ${i + 1}` };
        const entry = { action, object: { type: 'agent', id: agentId }, change: values };
        await audit.appendAudit(sql, { actor: { kind: 'account', id: 'ann' }, ...entry });
      }
    });
  await writeAll(DEVICE, 'agent.set_site', 100);
  await writeAll(OTHER, 'agent.rename', 400);
  await writeAll(DEVICE, 'agent.rename', 400);
  await owner.query('ANALYZE audit_entries, audit_values');
  const page = Array.from({ length: 100 }, (_, i) => ({ agentId: DEVICE, seq: BigInt(i + 1) }));
  await database.relational.withTenantSql(tenant, async (sql) => {
    const asked: [text: string, values?: unknown[]][] = [];
    const query = async (text: string, values?: unknown[]) => {
      asked.push([text, values]);
      return await sql.query(text, values);
    };
    const names = await readFormerNames({ query } as typeof sql, [...page, { agentId: DEVICE, seq: 700n }]);
    expect([names.get(`${DEVICE}@1`), names.get(`${DEVICE}@100`), names.get(`${DEVICE}@700`)]).toEqual([
      'name 0',
      'name 0',
      'name 200',
    ]);
    expect(asked).toHaveLength(1);
    for (const [text, values] of asked) {
      const { rows } = await sql.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      expect(rowsRead(rows[0]?.['QUERY PLAN'][0]?.Plan as PlanNode)).toBeLessThan(10 * page.length);
    }
  });
});

test("erasing a device or a person takes the values, also of devices that are somebody else's by now, and leaves the chain whole", async () => {
  const tenant = parseTenantId('erased');
  await change(tenant, 'agent.rename', { before: 'LIS-LT-0034', after: 'Helena' });
  await change(tenant, 'agent.set_owner', { agentId: OTHER, before: 'Helena@example.com', after: 'ana@example.com' });
  await change(tenant, 'agent.set_owner', { agentId: OTHER, before: 'ana@example.com', after: null });
  const helena = { accounts: [], email: 'helena@example.com', agents: [DEVICE], devices: [DEVICE] };
  expect(await audit.data.eraseSubject(tenant, helena)).toEqual({ audit_values: 2 });
  const [renamed, given, taken] = await list(tenant);
  expect([renamed?.change, given?.change]).toEqual([{ state: 'erased' }, { state: 'erased' }]);
  expect(taken?.change).toEqual({ state: 'kept', from: 'ana@example.com', to: null });
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [tenant]);
  const { rows } = await owner.query<{ body: string }>('SELECT body FROM audit_entries WHERE tenant_id = $1', [tenant]);
  expect(rows.map(({ body }) => body).join()).not.toMatch(/helena|LIS-LT/i);
  expect(await isWhole(tenant)).toBe(true);
  expect(await audit.data.eraseTenant(tenant)).toEqual({ audit_values: 1 });
});

test('values that somebody changed in the database are not shown', async () => {
  const tenant = parseTenantId('altered');
  await change(tenant, 'agent.set_site', { before: 'Lisbon', after: 'Porto' });
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [tenant]);
  await owner.query("UPDATE audit_values SET after = 'Faro' WHERE tenant_id = $1", [tenant]);
  expect((await list(tenant)).map((entry) => entry.change)).toEqual([{ state: 'altered' }]);
});

test('values go with their entry when its retention is over', async () => {
  const tenant = parseTenantId('pruned');
  await change(tenant, 'agent.set_site', { before: 'Lisbon', after: 'Porto' });
  await owner.query("SELECT set_config('app.tenant_id', $1, false)", [tenant]);
  await owner.query('DELETE FROM audit_entries WHERE tenant_id = $1', [tenant]);
  expect((await owner.query('SELECT 1 FROM audit_values WHERE tenant_id = $1', [tenant])).rowCount).toBe(0);
});

test('the export of a tenant has the values with the entry that they are of', async () => {
  const tenant = parseTenantId('exported');
  await change(tenant, 'agent.set_site', { before: 'Lisbon', after: 'Porto' });
  const tables: Record<string, unknown[]> = {};
  for await (const { table, rows } of audit.data.exportRows(tenant)) tables[table] = [...rows];
  expect(tables.audit_values).toMatchObject([{ agent_id: DEVICE, before: 'Lisbon', after: 'Porto' }]);
});
