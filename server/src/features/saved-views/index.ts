/**
 * Saved views of the console's tables: names for what an address asks for, private or shared with the tenant, and the one that a page opens
 * with (docs/console/saved-views.md). They are deleted with the membership of their owner, by the database.
 */
import type { RowsOfTable, Slice, Subject, TenantId } from '#kernel';
import { eraseTables, type PagedTable, readPages } from '#relational';
import { createSavedViewsProcedures } from './api.ts';
import type { SavedViewsDeps } from './context.ts';

const viewsTable = (table: string): PagedTable => ({
  table,
  columns: ['id', 'owner', 'page', 'name', 'search', 'shared', 'created_at', 'updated_at'],
  key: ['id'],
});
const defaultsTable = (table: string): PagedTable => ({
  ...{ table, columns: ['account_id', 'page', 'view_id'], key: ['account_id', 'page'] },
});

const TABLES: readonly PagedTable[] = [
  ...[viewsTable('saved_views'), defaultsTable('saved_view_defaults')],
  ...[viewsTable('page_views'), defaultsTable('page_view_defaults')],
];

export function createSavedViews(deps: SavedViewsDeps) {
  return {
    name: 'saved-views',
    roles: ['api'],
    procedures: createSavedViewsProcedures(deps),
    data: {
      owns: { relational: TABLES.map(({ table }) => table) },
      async *exportRows(tenant: TenantId): AsyncGenerator<RowsOfTable> {
        for (const table of TABLES)
          for await (const rows of readPages(deps.relational, tenant, table)) yield { table: table.table, rows };
      },
      // Defaults refer to views.
      eraseTenant: (tenant: TenantId) => eraseTables(deps.relational, tenant, TABLES.toReversed()),
      eraseSubject: (tenant: TenantId, { accounts }: Subject) =>
        eraseTables(deps.relational, tenant, [
          { table: 'saved_view_defaults', where: 'account_id = ANY ($1)', value: accounts },
          { table: 'saved_views', where: 'owner = ANY ($1)', value: accounts },
          { table: 'page_view_defaults', where: 'account_id = ANY ($1)', value: accounts },
          { table: 'page_views', where: 'owner = ANY ($1)', value: accounts },
        ]),
    },
  } satisfies Slice & Record<string, unknown>;
}
