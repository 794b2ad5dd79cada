import type { ErasedRows, Subject, TenantId } from '#kernel';
import type { Relational } from '#relational';

/**
 * Of somebody who is erased, what they wrote goes. That they acted stays: an opaque id, to which no name belongs any more. What was
 * given to them is nobody's, and where another system called them by their address, that goes too.
 */
export async function forgetPeople(
  relational: Pick<Relational, 'withSystemSql'>,
  tenant: TenantId,
  { accounts, email = '' }: Pick<Subject, 'accounts' | 'email'>,
): Promise<ErasedRows> {
  if (accounts.length === 0 && email === '') return {};
  return await relational.withSystemSql(tenant, async (sql) => {
    const comments = `UPDATE incident_entries SET detail = '' WHERE actor = ANY ($1) AND kind = 'commented' AND detail <> ''`;
    const { rowCount } = await sql.query(comments, [accounts]);
    await sql.query('UPDATE incidents SET assigned_to = NULL WHERE assigned_to = ANY ($1)', [accounts]);
    const outside = `UPDATE incident_entries SET detail = '' WHERE actor ~ '^(connector|provider)/' AND lower(detail) = 'by ' || $1::text`;
    const told = email === '' ? 0 : ((await sql.query(outside, [email])).rowCount ?? 0);
    return { incident_entries: (rowCount ?? 0) + told };
  });
}
