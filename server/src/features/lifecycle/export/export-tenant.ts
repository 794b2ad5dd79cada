import { AppError, type AuditEntry, type Clock, keptData, type RowsOfTable, type Slice, type TenantId } from '#kernel';
import { findTenant, type Relational, type TenantSql } from '#relational';
import { findErasure } from '../erasures.ts';
import { type WrittenExport, writeExport } from './write-export.ts';

/** What all slices give of a tenant, one slice after the other. */
export async function* exportAllRows(slices: readonly Pick<Slice, 'data'>[], tenant: TenantId): AsyncGenerator<RowsOfTable> {
  for (const slice of slices) yield* keptData(slice)?.exportRows(tenant) ?? [];
}

export interface ExportDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  clock: Clock;
  exportRows: (tenant: TenantId) => AsyncIterable<RowsOfTable>;
}

/**
 * Writes a tenant's data to a folder. Its trail says so before the first row is read, and when all is written with the hash of the manifest.
 * `not_found` for no tenant, `conflict` for one that is being erased.
 */
export async function exportTenant(deps: ExportDeps, tenant: TenantId, out: string): Promise<WrittenExport> {
  const { relational, clock } = deps;
  if (!(await findTenant(relational, tenant))) throw new AppError('not_found', `There is no tenant ${tenant}.`);
  if (await findErasure(relational, tenant)) throw new AppError('conflict', `Tenant ${tenant} is being erased.`);
  const note = async (entry: Pick<AuditEntry, 'action' | 'detail'>): Promise<void> =>
    await relational.withTenantSql(tenant, async (sql) => {
      const actor = { kind: 'system', id: 'cli' } as const;
      await deps.appendAudit(sql, { actor, object: { type: 'tenant', id: tenant }, ...entry });
    });
  await note({ action: 'tenant.export' });
  const written = await writeExport(deps.exportRows(tenant), { tenant, out, clock });
  const rows = written.manifest.files.reduce((sum, file) => sum + file.rows, 0);
  await note({ action: 'tenant.exported', detail: { rows, sha256: written.sha256 } });
  return written;
}
