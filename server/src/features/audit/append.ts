import { uuidv7 } from 'uuidv7';
import { AppError, type AuditEntry, type Clock, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import { toCanonicalJson } from './domain/canonical-json.ts';
import { hashValues, makeSalt, writeValues } from './values.ts';

const ACTION = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/;
const MAX_BODY_BYTES = 16_384;

/**
 * Adds one entry to the trail of the transaction's tenant, inside that transaction: it commits and rolls back with the change it tells of.
 * May stand anywhere in the transaction; the entry gets its place in the chain at commit. Rejects with `internal` for an entry that is not
 * well formed, which is a fault of the caller's code.
 */
export type AppendAudit = (sql: TenantSql, entry: AuditEntry) => Promise<void>;

/** `note` is called with the tenant of each entry, before its transaction commits. */
export function createAppendAudit(clock: Clock, note: (tenant: TenantId) => void = () => {}): AppendAudit {
  return async (sql, entry) => {
    if (!ACTION.test(entry.action)) throw new AppError('internal', `Audit action "${entry.action}" is not noun.verb.`);
    const tenant = await currentTenant(sql);
    const id = uuidv7();
    const kept = entry.change && { salt: makeSalt(), change: entry.change };
    const body = toCanonicalJson({
      tenant_id: tenant,
      id,
      at_ms: clock.now(),
      actor: { kind: entry.actor.kind, id: entry.actor.id },
      action: entry.action,
      object: entry.object && { type: entry.object.type, id: entry.object.id },
      detail: entry.detail,
      values: kept && hashValues(kept.salt, kept.change),
    });
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw new AppError('internal', 'Audit entry is too large.');
    await sql.query('INSERT INTO audit_entries (id, body) VALUES ($1, $2)', [id, body]);
    if (kept) await writeValues(sql, id, kept);
    note(tenant);
  };
}

async function currentTenant(sql: TenantSql): Promise<TenantId> {
  const { rows } = await sql.query<{ tenant: TenantId }>("SELECT current_setting('app.tenant_id') AS tenant");
  const row = rows[0];
  if (!row) throw new AppError('internal', 'No tenant is set in this transaction.');
  return row.tenant;
}
