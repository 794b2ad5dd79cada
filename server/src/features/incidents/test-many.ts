import type { TenantId } from '#kernel';
import type { Relational } from '#relational';

/**
 * Fills a tenant with incidents made by the database itself, for timing: a thousand targets, 20 sites, one in 200 not resolved, each with a
 * signal and two entries. The same count gives the same rows.
 */
export async function fillIncidents(relational: Relational, tenant: TenantId, count: number): Promise<void> {
  await relational.withTenantSql(tenant, async (sql) => {
    await sql.query('SET LOCAL statement_timeout = 0');
    await sql.query(
      `INSERT INTO incidents (tenant_id, id, number, status, severity, title, target, prefix, site, started_at, opened_at, last_seen_at,
         acknowledged_at, acknowledged_by, assigned_to, resolved_at, resolved_by, recovered_at, signal_count, open_signal_count, planes, search)
       SELECT current_setting('app.tenant_id'), gen_random_uuid(), n, CASE WHEN n % 400 = 0 THEN 'open' WHEN n % 400 = 200 THEN 'acknowledged' ELSE 'resolved' END,
         (ARRAY['info', 'warning', 'critical'])[n % 3 + 1], 'Shop ' || n % 1000 || ' fails: TLS handshake takes 3.1 s', 'shop' || n % 1000 || '.example',
         CASE WHEN n % 7 = 0 THEN '10.' || n % 200 || '.0.0/16' END, 'Site ' || n % 20, at, at + interval '2 minutes', at + interval '20 minutes',
         CASE WHEN n % 3 = 0 THEN at + interval '5 minutes' END, CASE WHEN n % 3 = 0 THEN 'ann' END, CASE WHEN n % 50 = 0 THEN 'ben' END,
         CASE WHEN n % 200 <> 0 THEN at + interval '40 minutes' END, CASE WHEN n % 200 <> 0 THEN 'system' END, NULL, 1,
         CASE WHEN n % 200 = 0 THEN 1 ELSE 0 END, CASE n % 3 WHEN 0 THEN '{tests}'::text[] WHEN 1 THEN '{tests,otlp}' ELSE '{endpoint}' END,
         lower('Shop ' || n % 1000 || ' fails: TLS handshake takes 3.1 s shop' || n % 1000 || '.example Site ' || n % 20)
       FROM generate_series(1, $1::int) n CROSS JOIN LATERAL (SELECT now() - make_interval(mins => ($1::int - n) * 5) AS at) t`,
      [count],
    );
    await sql.query(
      `INSERT INTO signals (tenant_id, id, seq, plane, kind, severity, title, summary, target, attributes, scope, dedup_key, occurred_at,
         last_seen_at, recovered_at, incident_id, joined_by)
       SELECT tenant_id, gen_random_uuid(), number, planes[1], 'test.failing', severity, title, 'wanted 200, got 502', target, '{"test.id": "t"}', '',
         'key' || number, started_at, last_seen_at, resolved_at, id, 'opened' FROM incidents`,
    );
    await sql.query(
      `INSERT INTO incident_entries (tenant_id, id, incident_id, at, kind, actor, detail)
       SELECT tenant_id, gen_random_uuid(), id, opened_at, kind, 'system', title FROM incidents, unnest(ARRAY['opened', 'resolved']) kind`,
    );
    await sql.query('INSERT INTO incident_counters (tenant_id, last_number, last_seq) VALUES ($1, $2, $2)', [tenant, count]);
  });
}
