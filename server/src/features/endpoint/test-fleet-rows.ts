import type { TenantId } from '#kernel';
import type { Relational } from '#relational';

/**
 * Fills the view of a tenant with plausible devices made by the database itself, for timing: 40 sites, 400 gateways, three systems,
 * one in five slow, one in thirty silent, of the rest some partly measured or off. The same count gives the same rows.
 */
export async function fillFleet(relational: Relational, tenant: TenantId, count: number): Promise<void> {
  await relational.withTenantSql(tenant, async (sql) => {
    await sql.query('SET LOCAL statement_timeout = 0');
    await sql.query(
      `INSERT INTO endpoint_summary (tenant_id, agent_id, name, owner, site, os, os_version, agent_version, agent_version_sort, ring, state,
         enrolled_at, last_contact_at, connection, wifi_at, wifi_rssi_dbm, wifi_signal_percent, gateway_at, gateway_address, gateway_rtt_ms,
         gateway_loss_ratio, isp_at, isp_rtt_ms, isp_loss_ratio, session_at, worst_session_ms, worst_session_target, cause_at, cause,
         summary, confidence, verdict_since, health, fault_kind)
       SELECT current_setting('app.tenant_id'), (substr(h, 1, 12) || '7' || substr(h, 14, 3) || '8' || substr(h, 18, 15))::uuid, 'LT-' || lpad((n * 7919 % 1000003)::text, 7, '0'),
         'person' || n || '@example.com', 'Site ' || (n % 40), (ARRAY['linux', 'windows', 'macos'])[n % 3 + 1], '11',
         '1.' || (n % 5) || '.0', '000000001.00000000' || (n % 5) || '.000000000', 'main', 'running', now() - interval '30 days',
         now() - CASE WHEN n % 30 = 0 THEN interval '2 hours' ELSE interval '20 seconds' END, 'wifi', now(), -40 - (n * 31 % 50), 50,
         now(), '10.' || (n % 40) || '.' || (n % 10) || '.1', 1 + (n * 17 % 900) / 10.0, (n % 50) / 1000.0, now(),
         5 + (n * 13 % 1200) / 10.0, 0, now(), 100 + n * 37 % 9000, 'crm.example', now() - interval '30 seconds',
         CASE WHEN n % 5 = 0 THEN (ARRAY['wifi', 'local', 'isp', 'network'])[n / 5 % 4 + 1] ELSE 'none' END,
         'Slow because of Wi-Fi: signal near -79 dBm since 08:42, too weak for a fast connection.', 0.9, now() - interval '1 hour',
         CASE WHEN n % 5 = 0 THEN 'slow' WHEN n % 7 = 0 THEN 'partial' WHEN n % 11 = 0 THEN 'off' END,
         CASE WHEN n % 5 > 0 AND n % 7 > 0 AND n % 11 = 0 THEN 'path_loss' END
       FROM generate_series(1, $1::int) n CROSS JOIN LATERAL md5('agent' || n) h`,
      [count],
    );
  });
}
