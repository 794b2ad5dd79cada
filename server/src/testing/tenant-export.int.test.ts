import { randomUUID } from 'node:crypto';
import type { Policy } from '@svc/contracts/policy';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { keptData, type Slice, type TenantId } from '#kernel';
import { ACME, dataOf, MARK, OTHER, openWalledProduct, type WalledProduct } from './test-walled-product.ts';

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

/** Tenant tables whose rows are no data of the tenant: keys, nonces, the state of its chain (audit's own test covers its checkpoints). */
const NOT_EXPORTED = [
  ...['agent_intermediates', 'agent_renewals', 'audit_checkpoints', 'audit_heads', 'runner_renewals', 'runner_requests'],
];

async function exportAll(tenant: TenantId): Promise<Map<string, Record<string, unknown>[]>> {
  const tables = new Map<string, Record<string, unknown>[]>();
  for (const slice of Object.values<Slice>(walled.product.slices)) {
    for await (const { table, rows } of keptData(slice)?.exportRows(tenant) ?? [])
      tables.set(table, [...(tables.get(table) ?? []), ...rows]);
  }
  return tables;
}

test('the export of a tenant holds each of its tables, no secret and nothing of another tenant', async () => {
  // After each mutation, so that it holds what they leave as well.
  for (const { name } of walled.mutations()) await walled.call(name, walled.inputOf(name), walled.credentials.acme);
  const now = dataOf<{ policy: Policy }>(await walled.call('fleet.policy.get', {}, walled.credentials.acme)).policy;
  await walled.call(
    'fleet.policy.set',
    { expected_version: now.version, policy: { ...now, version: undefined } },
    walled.credentials.acme,
  );
  const agent = randomUUID();
  await walled.database.relational.withTenantSql(ACME, async (sql) => {
    const summary = `INSERT INTO endpoint_summary (tenant_id, agent_id, ring, state, enrolled_at) VALUES ($1, $2, 'main', 'paused', now())`;
    await sql.query(summary, [ACME, agent]);
    await sql.query(`INSERT INTO endpoint_sessions (tenant_id, agent_id, targets) VALUES ($1, $2, '{}')`, [ACME, agent]);
    const changed = `INSERT INTO audit_values (tenant_id, entry_id, agent_id, salt, before, after)
      SELECT tenant_id, id, $1, decode(repeat('00', 32), 'hex'), 'before', 'after' FROM audit_entries LIMIT 1
      ON CONFLICT DO NOTHING`;
    await sql.query(changed, [agent]);
    await sql.query("INSERT INTO otlp_signals VALUES ($1, 'logs', now(), now(), 1)", [ACME]);
    await sql.query("INSERT INTO otlp_refusals VALUES ($1, now(), 'malformed', 1, now(), '', NULL)", [ACME]);
    await sql.query('INSERT INTO bus_quarantine_dropped VALUES ($1, now(), 1, 1)', [ACME]);
    await sql.query("INSERT INTO cardinality_days (tenant_id, day, kind, bound) VALUES ($1, now(), 'targets', 1)", [ACME]);
    await sql.query('INSERT INTO otlp_token_days VALUES ($1, $2, now(), 1, 1, 1)', [ACME, walled.acme.otlpToken]);
    await sql.query(`INSERT INTO synthetic_test_credentials VALUES ($1, 'x', '{}', '\\x00', 'ann', now())`, [ACME]);
    await sql.query(`INSERT INTO maintenance_windows VALUES ($1, $2, 'x', '{}', 'ann', now(), now(), now())`, [ACME, agent]);
    await sql.query(`INSERT INTO rum_counters VALUES ($1, 'shop', 'accepted', 1, now(), now())`, [ACME]);
    await sql.query(`INSERT INTO rum_days VALUES ($1, now(), 'shop', 'malformed', '', 1, now(), now())`, [ACME]);
    await sql.query(`INSERT INTO rum_hosts VALUES ($1, 'shop', 'shop.example', now(), now())`, [ACME]);
    await sql.query(
      `INSERT INTO rum_verdicts VALUES ($1, 'shop', 'shop.example', 'healthy', true, now(), now(), '{}', '{}', NULL)`,
      [ACME],
    );
    await sql.query(
      `INSERT INTO rum_verdict_spans VALUES ($1, 'shop', 'shop.example', now(), 'healthy', true, '{}', '{}', false)`,
      [ACME],
    );
    await sql.query(`INSERT INTO synthetic_test_settings VALUES ($1, 1, '{}', now()) ON CONFLICT DO NOTHING`, [ACME]);
    await sql.query(
      `INSERT INTO synthetic_test_heads (tenant_id, test_id, runner_id, last_at, last_ok, last_fault, failing, last, recent)
       SELECT tenant_id, id, 'r', now(), true, '', false, '{}', '[]' FROM synthetic_tests LIMIT 1`,
    );
    await sql.query(`INSERT INTO synthetic_run_progress VALUES ($1, $2, now(), now(), '{}')`, [ACME, agent]);
    await sql.query(
      'INSERT INTO incident_cause_requests SELECT tenant_id, id, now() FROM incidents LIMIT 1 ON CONFLICT DO NOTHING',
    );
    await sql.query(
      "INSERT INTO incident_causes (tenant_id, incident_id, version, made_at, body) SELECT tenant_id, id, 1, now(), '{}' FROM incidents LIMIT 1 ON CONFLICT DO NOTHING",
    );
    await sql.query(
      `INSERT INTO change_verdicts (tenant_id, incident_id, change_id, verdict, set_by, set_at)
       SELECT i.tenant_id, i.id, c.id, 'cause', 'ann', now() FROM incidents i, changes c LIMIT 1 ON CONFLICT DO NOTHING`,
    );
    await sql.query('INSERT INTO governance_policies (tenant_id, updated_at) VALUES ($1, now())', [ACME]);
    await sql.query('INSERT INTO model_usage (tenant_id, day) VALUES ($1, now())', [ACME]);
    await sql.query(`INSERT INTO discovery_dismissals VALUES ($1, 'old.example', 'ann', now()) ON CONFLICT DO NOTHING`, [ACME]);
    await sql.query(`INSERT INTO synthetic_test_evidence VALUES ($1, $2, $2, 'r', now(), 1, '', now())`, [ACME, agent]);
    await sql.query(`INSERT INTO endpoint_states (tenant_id, agent_id, at, state) VALUES ($1, $2, now(), 'paused')`, [
      ACME,
      agent,
    ]);
  });
  const { rows: tables } = await owner.query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relrowsecurity AND relnamespace = 'public'::regnamespace ORDER BY 1",
  );
  const sent = ['logs', 'metric_exemplars', 'metric_points', 'metric_series', 'spans'];
  // What was sent is stored a moment later.
  const exported = await vi.waitFor(
    async () => {
      const tablesOf = await exportAll(ACME);
      expect(sent.filter((table) => !tablesOf.has(table))).toEqual([]);
      return tablesOf;
    },
    { timeout: 30_000, interval: 500 },
  );
  expect([...exported.keys(), ...NOT_EXPORTED].sort()).toEqual([...tables.map(({ name }) => name), ...sent].sort());
  expect(exported.get('members')).toMatchObject([{ account_id: walled.acme.account, name: MARK, email: 'admin@acme.test' }]);
  for (const [table, rows] of exported)
    for (const column of Object.keys(rows[0] ?? {}))
      expect(`${table}.${column}`).not.toMatch(/sealed|password|secret|key_hash|token_hash/);
  const other = await exportAll(OTHER);
  expect(other.get('members')).toHaveLength(1);
  expect(JSON.stringify([...other])).not.toContain(MARK);
  expect(JSON.stringify([...other])).not.toContain(agent);
});
