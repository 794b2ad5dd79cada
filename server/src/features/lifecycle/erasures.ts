import { sha256 } from '#crypto';
import { AppError, type AuditEntry, type Clock, type ErasedRows, isTenantId, type TenantId } from '#kernel';
import { findTenant, type Relational, type TenantSql } from '#relational';

/** Sent by directory_begin_erasure at its commit; the payload says nothing. */
export const ERASURES_CHANNEL = 'svc_tenant_erasures';

/** What a fresh start makes anew: it would stand in the way of the installation itself. */
const FIRST_TENANT = 'default';

export interface ErasureRow {
  tenant_id: string;
  actor_kind: string;
  actor_id: string;
  requested_at: Date;
  finished_at: Date | null;
  erased: Record<string, number>;
}

/** What became of an erasure; `sha256` is that of the other fields as JSON in this order. */
export interface Attestation {
  tenant: string;
  requested_at: string;
  /** When every table was found empty; null while a server works on it. */
  finished_at: string | null;
  /** Rows that went, by table. */
  erased: { table: string; rows: number }[];
  sha256: string;
}

const byTable = (erased: ErasedRows): Attestation['erased'] =>
  Object.entries(erased)
    .map(([table, rows]) => ({ table, rows }))
    .sort((a, b) => (a.table < b.table ? -1 : 1));

export function attest(row: ErasureRow): Attestation {
  const document = {
    tenant: row.tenant_id,
    requested_at: row.requested_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    erased: byTable(row.erased),
  };
  return { ...document, sha256: sha256(JSON.stringify(document)).toString('hex') };
}

type Directory = Pick<Relational, 'directory'>;

export const listErasures = async (relational: Directory): Promise<(ErasureRow & { tenant_id: TenantId })[]> =>
  (await relational.directory<ErasureRow>('list_erasures')).filter((row): row is ErasureRow & { tenant_id: TenantId } =>
    isTenantId(row.tenant_id),
  );

export const findErasure = async (relational: Directory, tenant: TenantId): Promise<ErasureRow | undefined> =>
  (await listErasures(relational)).find(({ tenant_id }) => tenant_id === tenant);

/** Adds rows that went; with `finishedAt` the erasure ends, and with it the tenant's own row. */
export async function noteErased(
  relational: Directory,
  tenant: TenantId,
  { erased, finishedAt = null }: { erased: ErasedRows; finishedAt?: Date | null },
): Promise<void> {
  await relational.directory('note_erased', [tenant, JSON.stringify(erased), finishedAt]);
}

export interface BeginDeps {
  relational: Relational;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  clock: Clock;
}

/**
 * Ends all access to a tenant and asks the servers to erase it; its trail says who wanted it. Again for one that is being erased or was, it
 * changes nothing. `not_found` for a tenant that never was, `conflict` for the first one of the installation.
 */
export async function beginErasure(
  { relational, appendAudit, clock }: BeginDeps,
  tenant: TenantId,
  actor: AuditEntry['actor'],
): Promise<ErasureRow> {
  if (tenant === FIRST_TENANT)
    throw new AppError(
      'conflict',
      `Tenant ${FIRST_TENANT} belongs to the installation. Stop the server and remove its data instead.`,
    );
  const known = await findErasure(relational, tenant);
  if (known) return known;
  if (!(await findTenant(relational, tenant))) throw new AppError('not_found', `There is no tenant ${tenant}.`);
  await relational.withSystemSql(tenant, async (sql) => {
    const begin = 'SELECT * FROM directory_begin_erasure($1, $2, $3)';
    const { rows } = await sql.query<{ is_new: boolean }>(begin, [actor.kind, actor.id, new Date(clock.now())]);
    if (rows[0]?.is_new) await appendAudit(sql, { actor, action: 'tenant.erase', object: { type: 'tenant', id: tenant } });
  });
  const begun = await findErasure(relational, tenant);
  if (!begun) throw new AppError('internal', 'An erasure that was begun is not there.');
  return begun;
}
