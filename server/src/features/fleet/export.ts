import type { RowsOfTable, TenantId } from '#kernel';
import { type PagedTable, readPages } from '#relational';
import type { FleetContext } from './context.ts';

// Sealed keys and hashes of secrets are no data of the tenant and stay here.
const TABLES: readonly PagedTable[] = [
  {
    table: 'agents',
    columns: [
      ...['id', 'given_name', 'device_name', 'owner_email', 'site', 'os', 'os_version', 'arch', 'model', 'ring', 'state'],
      ...['paused_until', 'protocol', 'agent_version', 'policy_version', 'simulated', 'enrolled_at', 'last_contact_at'],
      ...['revoked_at', 'retired_at'],
    ],
    key: ['id'],
  },
  {
    table: 'enrol_tokens',
    columns: [
      ...['id', 'label', 'site', 'owner_email', 'uses', 'used', 'expires_at', 'created_at', 'created_by', 'last_used_at'],
      'revoked_at',
    ],
    key: ['id'],
  },
  { table: 'agent_policies', columns: ['version', 'policy', 'created_at', 'created_by'], key: ['version'] },
];

/** The tenant's rows a page at a time, by id. */
export async function* exportFleet({ relational }: FleetContext, tenant: TenantId): AsyncGenerator<RowsOfTable> {
  for (const table of TABLES) for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
}
