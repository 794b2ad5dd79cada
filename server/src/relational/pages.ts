import type { TenantId } from '#kernel';
import type { Relational } from './port.ts';

export interface PagedTable {
  table: string;
  /** What is read, by name; the key's columns among them. */
  columns: readonly string[];
  /** The primary key without the tenant, in its order. */
  key: readonly string[];
}

const PAGE = 1000;

/** All rows of one tenant in one table, in the order of the key, at most 1000 a page and each page a short transaction of its own. */
export async function* readPages<Row extends Record<string, unknown>>(
  relational: Pick<Relational, 'withTenantSql'>,
  tenant: TenantId,
  { table, columns, key }: PagedTable,
): AsyncGenerator<Row[]> {
  const places = key.map((_, index) => `$${index + 1}`).join(', ');
  const order = key.join(', ');
  for (let after: unknown[] | undefined; ; ) {
    const where = after ? `WHERE (${order}) > (${places})` : '';
    const text = `SELECT ${columns.join(', ')} FROM ${table} ${where} ORDER BY ${order} LIMIT ${PAGE}`;
    const { rows } = await relational.withTenantSql(tenant, (sql) => sql.query<Row>(text, after ?? []));
    if (rows.length > 0) yield rows;
    const last = rows[PAGE - 1];
    if (!last) return;
    after = key.map((name) => last[name]);
  }
}
