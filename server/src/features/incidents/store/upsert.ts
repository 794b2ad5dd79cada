import type { TenantSql } from '#relational';

/** A table of this slice: its columns with their types, without the tenant, and those of its key. */
export interface Table {
  name: string;
  columns: Readonly<Record<string, string>>;
  key: readonly string[];
}

/** Writes rows of the transaction's tenant in one statement; one that is there takes the new values, or stays as it is with `keep`. */
export async function upsertRows(
  sql: TenantSql,
  { name, columns, key }: Table,
  { rows, keep = false }: { rows: readonly object[]; keep?: boolean },
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(columns);
  const typed = names.map((column) => `${column} ${columns[column]}`).join(', ');
  const changed = names.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`);
  const conflict = keep ? 'NOTHING' : `UPDATE SET ${changed.join(', ')}`;
  await sql.query(
    `INSERT INTO ${name} (tenant_id, ${names.join(', ')})
     SELECT current_setting('app.tenant_id'), ${names.join(', ')} FROM jsonb_to_recordset($1::jsonb) AS r (${typed})
     ON CONFLICT (tenant_id, ${key.join(', ')}) DO ${conflict}`,
    [JSON.stringify(rows)],
  );
}
