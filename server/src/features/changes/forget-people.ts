import type { ErasedRows, Subject, TenantId } from '#kernel';
import type { Relational } from '#relational';

/**
 * Who made a change is told by a name that the forge has for them: where that is the address of somebody who is erased, it goes, and with it
 * what a search finds it by. What they judged stays, by an opaque id to which no name belongs any more.
 */
export async function forgetPeople(
  relational: Pick<Relational, 'withSystemSql'>,
  tenant: TenantId,
  { email }: Pick<Subject, 'email'>,
): Promise<ErasedRows> {
  if (email === undefined) return {};
  // Its letters are in the bits as well: without these the text itself is read.
  const text = `UPDATE changes SET actor = NULL, search = replace(search, $1, ''), search_1 = NULL, search_2 = NULL, search_3 = NULL,
    search_4 = NULL WHERE lower(actor) = $1`;
  const { rowCount } = await relational.withSystemSql(tenant, (sql) => sql.query(text, [email]));
  return { changes: rowCount ?? 0 };
}
