import type { ErasedRows, RowsOfTable, TenantId } from '#kernel';
import { eraseTables, type PagedTable, type Relational, readPages } from '#relational';

/** Without what is computed from the rest for searching and sorting. */
const TABLES: readonly PagedTable[] = [
  {
    table: 'endpoint_summary',
    columns: [
      ...['agent_id', 'name', 'owner', 'site', 'os', 'os_version', 'agent_version', 'ring', 'state', 'paused_until', 'simulated'],
      ...['enrolled_at', 'last_contact_at', 'clock_skew_ms', 'connection', 'wifi_at', 'wifi_rssi_dbm', 'wifi_rssi_why'],
      ...['wifi_signal_percent', 'wifi_signal_why', 'gateway_at', 'gateway_address', 'gateway_rtt_ms', 'gateway_rtt_why'],
      ...['gateway_loss_ratio', 'gateway_loss_why', 'isp_at', 'isp_rtt_ms', 'isp_rtt_why', 'isp_loss_ratio', 'isp_loss_why'],
      ...['session_at', 'worst_session_ms', 'worst_session_why', 'worst_session_target', 'cause_at', 'cause', 'summary'],
      ...['confidence', 'verdict_since', 'judged', 'health', 'fault_kind'],
      ...['sessions_failed', 'sessions_judged', 'failed_session_target', 'failed_session_phase'],
    ],
    key: ['agent_id'],
  },
  { table: 'endpoint_sessions', columns: ['agent_id', 'targets'], key: ['agent_id'] },
  { table: 'endpoint_states', columns: ['agent_id', 'at', 'state', 'paused_until'], key: ['agent_id', 'at'] },
];

/** The view's rows of a tenant: one a device, its newest sessions, and when it was silenced. */
export async function* exportEndpoint(
  relational: Pick<Relational, 'withTenantSql'>,
  tenant: TenantId,
): AsyncGenerator<RowsOfTable> {
  for (const table of TABLES) for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
}

/** The view's rows of a tenant, or of some of its devices; the summary last, as the others refer to it. */
export const eraseEndpoint = async (
  relational: Pick<Relational, 'withSystemSql'>,
  tenant: TenantId,
  agents?: readonly string[],
): Promise<ErasedRows> => {
  const whose = agents && { where: 'agent_id = ANY ($1::uuid[])', value: agents };
  return await eraseTables(
    relational,
    tenant,
    [...TABLES].reverse().map(({ table }) => ({ table, ...whose })),
  );
};
