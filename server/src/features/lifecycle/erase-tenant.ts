import { setTimeout as sleep } from 'node:timers/promises';
import { type AuditEntry, type Clock, type KeptData, keptData, type Slice, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { type ErasureRow, findErasure, noteErased } from './erasures.ts';

/** Every replica has heard by then that nothing of the tenant is taken in any more (the contract promises a second). */
const HEARD_MS = 2000;
/** What was on its way into a store when the erasure began is gone after the second. */
const MAX_PASSES = 5;

export interface EraseDeps {
  relational: Relational;
  slices: () => readonly Slice[];
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
  clock: Clock;
  /** Milliseconds from the request to the first row that goes. */
  heardMs?: number;
}

const keptBy = (slices: readonly Slice[]): KeptData[] => slices.flatMap((slice) => keptData(slice) ?? []);

const sum = (erased: Readonly<Record<string, number>>): number => Object.values(erased).reduce((total, rows) => total + rows, 0);

/** One walk over all slices, each noted when it is done; gives how many rows went. */
async function eraseOnce({ relational, slices }: EraseDeps, tenant: TenantId): Promise<number> {
  let rows = 0;
  for (const data of keptBy(slices())) {
    const erased = await data.eraseTenant(tenant);
    const gone = sum(erased);
    if (gone > 0) await noteErased(relational, tenant, { erased });
    rows += gone;
  }
  return rows;
}

/**
 * Erases a tenant whose erasure was begun, from wherever an earlier attempt ended: it is over when one walk over all slices found nothing,
 * which is also how it is verified. False when something still comes in; it is then tried again.
 */
export async function eraseTenant(
  deps: EraseDeps,
  { tenant_id, requested_at, finished_at }: ErasureRow & { tenant_id: TenantId },
) {
  const { relational, appendAudit, clock, heardMs = HEARD_MS } = deps;
  await sleep(Math.max(0, Math.min(heardMs, requested_at.getTime() + heardMs - clock.now())));
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    if ((await eraseOnce(deps, tenant_id)) > 0) continue;
    if (finished_at) return true;
    const erased = (await findErasure(relational, tenant_id))?.erased ?? {};
    await relational.withSystemSql(tenant_id, async (sql) => {
      const object = { type: 'tenant', id: tenant_id };
      await appendAudit(sql, { actor: { kind: 'system', id: 'lifecycle' }, action: 'tenant.erased', object, detail: erased });
    });
    await noteErased(relational, tenant_id, { erased: {}, finishedAt: new Date(clock.now()) });
    return true;
  }
  return false;
}
