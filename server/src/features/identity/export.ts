import type { RowsOfTable, TenantId } from '#kernel';
import { type PagedTable, type Relational, readPages } from '#relational';
import { describeAccounts } from './people/accounts.ts';

// Hashes of secrets are no data of the tenant and stay here.
const CREDENTIALS: readonly PagedTable[] = [
  {
    table: 'api_tokens',
    columns: ['id', 'name', 'roles', 'created_by', 'acts_for', 'created_at', 'expires_at', 'revoked_at', 'last_used_at'],
    key: ['id'],
  },
  {
    table: 'access_links',
    columns: [
      ...['id', 'kind', 'roles', 'email', 'account_id', 'created_by', 'created_at', 'expires_at', 'used_at', 'used_by'],
      'revoked_at',
    ],
    key: ['id'],
  },
];

interface Member extends Record<string, unknown> {
  account_id: string;
}

const MEMBERS = { table: 'members', columns: ['account_id', 'roles', 'group_roles', 'created_at'], key: ['account_id'] };

/**
 * A tenant's people with name and address, its API tokens and links without their secrets. Sessions end within hours and belong to the
 * person, who may have them in other tenants too: they are left out.
 */
export async function* exportIdentity(relational: Relational, tenant: TenantId): AsyncGenerator<RowsOfTable> {
  for await (const members of readPages<Member>(relational, tenant, MEMBERS)) {
    const ids = members.map((member) => member.account_id);
    const accounts = new Map((await describeAccounts(relational, ids)).map((account) => [account.id, account]));
    const rows = members.map((member) => {
      const account = accounts.get(member.account_id);
      return { ...member, name: account?.name, email: account?.email, email_verified: account?.email_verified };
    });
    yield { table: 'members', rows };
  }
  for (const table of CREDENTIALS)
    for await (const rows of readPages(relational, tenant, table)) yield { table: table.table, rows };
}
