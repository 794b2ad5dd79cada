import type { KeptData, TenantId } from '#kernel';
import type { ColumnStore } from '../ports.ts';
import { type ExportedColumns, exportColumns } from './export-rows.ts';

/** Removes all rows of a tenant in some tables; gives how many went, by table. */
export async function eraseColumns(
  store: Pick<ColumnStore, 'erase'>,
  tenant: TenantId,
  tables: readonly string[],
): Promise<Record<string, number>> {
  const erased: Record<string, number> = {};
  for (const table of tables) erased[table] = await store.erase(tenant, { table });
  return erased;
}

/**
 * What a slice says of tables of the column store that hold what applications sent: nothing in them names a person or a device of the fleet.
 * `derived` are tables of bookkeeping that no export holds.
 */
export const keptTables = (
  store: Pick<ColumnStore, 'read' | 'erase'>,
  { exported, derived = [] }: { exported: readonly ExportedColumns[]; derived?: readonly string[] },
): KeptData => {
  const columns = [...exported.map(({ table }) => table), ...derived];
  return {
    owns: { columns },
    async *exportRows(tenant) {
      for (const one of exported) for await (const rows of exportColumns(store, tenant, one)) yield { table: one.table, rows };
    },
    eraseTenant: (tenant) => eraseColumns(store, tenant, columns),
    eraseSubject: async () => ({}),
  };
};
