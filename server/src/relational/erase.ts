import type { TenantId } from '#kernel';
import type { Relational, TenantSql } from './port.ts';

const AT_ONCE = 5000;

/** One table of a tenant's, or the rows of it for which a condition holds. */
export interface ErasedTable {
  table: string;
  /** SQL with $1, and its value. */
  where?: string;
  value?: unknown;
}

/**
 * Removes rows of a tenant, a few thousand in each transaction; gives how many went, by table. Idempotent: after a failure half-way it is
 * called again. Tables that others refer to come after those.
 */
export async function eraseTables(
  relational: Pick<Relational, 'withSystemSql'>,
  tenant: TenantId,
  tables: readonly ErasedTable[],
): Promise<Record<string, number>> {
  const erased: Record<string, number> = {};
  for (const { table, where = 'true', value } of tables) {
    const text = `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT ${AT_ONCE}))`;
    const remove = async (sql: TenantSql): Promise<number> =>
      (await sql.query(text, value === undefined ? [] : [value])).rowCount ?? 0;
    for (let gone = AT_ONCE; gone === AT_ONCE; ) {
      gone = await relational.withSystemSql(tenant, remove);
      erased[table] = (erased[table] ?? 0) + gone;
    }
  }
  return erased;
}
