import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type AuditEntry, type TenantId } from '#kernel';
import { findTenant, type TenantSql } from '#relational';
import { askForRetry, dropMessages, listMessages, openMessage, readTotals, type StoreDeps, type Wanted } from './store.ts';

export interface DeskDeps extends StoreDeps {
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
}

/** How long a retry is waited for, and how often it is looked at. */
const WAIT_MS = 10_000;
const LOOK_MS = 200;

const actor = { kind: 'system', id: 'cli' } as const;
const detailOf = ({ reason }: Wanted, messages: number) => ({ messages, ...(reason !== undefined && { reason }) });

/** The quarantine as the command line uses it; what it changes or gives out is in the trail of the tenant. */
export function createQuarantineDesk({ relational, sealer, appendAudit }: DeskDeps) {
  async function inTenant<T>(tenant: TenantId, work: (sql: TenantSql) => Promise<T>): Promise<T> {
    if (!(await findTenant(relational, tenant))) throw new AppError('not_found', `There is no tenant ${tenant}.`);
    return await relational.withTenantSql(tenant, work);
  }
  const countWaiting = async (tenant: TenantId, wanted: Wanted): Promise<number> =>
    (await inTenant(tenant, (sql) => listMessages(sql, { ...wanted, limit: 1000 }))).filter((row) => row.retry_at !== null)
      .length;

  return {
    list: (tenant: TenantId, page: Wanted & { limit: number }) => inTenant(tenant, (sql) => listMessages(sql, page)),
    totals: (tenant: TenantId) => inTenant(tenant, readTotals),
    open: (tenant: TenantId, id: string) =>
      inTenant(tenant, async (sql) => {
        const opened = await openMessage(sql, sealer, { tenant, id });
        await appendAudit(sql, { actor, action: 'bus_message.open', object: { type: 'bus_message', id } });
        return opened;
      }),
    async retry(tenant: TenantId, wanted: Wanted): Promise<{ asked: number; waiting: number }> {
      const asked = await inTenant(tenant, async (sql) => {
        const messages = await askForRetry(sql, wanted);
        if (messages > 0) await note(sql, 'bus_message.retry', { wanted, messages });
        return messages;
      });
      let waiting = asked;
      for (const end = Date.now() + WAIT_MS; waiting > 0 && Date.now() < end; await sleep(LOOK_MS))
        waiting = await countWaiting(tenant, wanted);
      return { asked, waiting };
    },
    drop: (tenant: TenantId, wanted: Wanted) =>
      inTenant(tenant, async (sql) => {
        const messages = await dropMessages(sql, wanted);
        if (messages > 0) await note(sql, 'bus_message.drop', { wanted, messages });
        return messages;
      }),
  };

  function note(sql: TenantSql, action: string, { wanted, messages }: { wanted: Wanted; messages: number }): Promise<void> {
    const object = wanted.id === undefined ? {} : { object: { type: 'bus_message', id: wanted.id } };
    return appendAudit(sql, { actor, action, ...object, detail: detailOf(wanted, messages) });
  }
}
