import { AppError, type AuditEntry, actorOf, type Ctx, keptData, type Slice, type Subject, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

/** Whom a request names: a person by their address, or one device. */
export type NamedSubject = { email: string } | { agent: string };

export interface SubjectDeps {
  relational: Relational;
  slices: () => readonly Slice[];
  /** Accounts of the tenant with this address, lower case. */
  findPeople: (tenant: TenantId, email: string) => Promise<readonly string[]>;
  /** Devices whose owner has this address, or the one of this id. */
  findDevicesOf: (tenant: TenantId, of: NamedSubject) => Promise<readonly string[]>;
  /** AppError `conflict` where nobody but these people could administer the tenant. */
  keepAnAdmin: (tenant: TenantId, accounts: readonly string[]) => Promise<void>;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
}

async function findSubject(deps: SubjectDeps, tenant: TenantId, named: NamedSubject): Promise<Subject> {
  if ('agent' in named) {
    const devices = await deps.findDevicesOf(tenant, named);
    return { accounts: [], email: undefined, agents: [named.agent], devices };
  }
  const email = named.email.toLowerCase();
  const [accounts, devices] = await Promise.all([deps.findPeople(tenant, email), deps.findDevicesOf(tenant, { email })]);
  return { accounts, email, agents: devices, devices };
}

/**
 * Erases one person with their devices, or one device; gives how many rows went, by table. Again it finds nothing, or what a failure half-way
 * left. The trail keeps their opaque ids, which then stand for nobody.
 */
export async function eraseSubject(deps: SubjectDeps, ctx: Ctx, named: NamedSubject): Promise<Record<string, number>> {
  const { tenant } = ctx.principal;
  const subject = await findSubject(deps, tenant, named);
  if (ctx.principal.kind === 'account' && subject.accounts.includes(ctx.principal.id))
    throw new AppError('conflict', 'Nobody erases themselves. Ask another admin.');
  // Before the first row goes: what is refused half-way would be gone without a word in the trail.
  await deps.keepAnAdmin(tenant, subject.accounts);
  const total: Record<string, number> = {};
  // In the order of the list, in which devices come after what they measured: it is by them that the rest is found again.
  for (const data of deps.slices().flatMap((slice) => keptData(slice) ?? []))
    for (const [table, rows] of Object.entries(await data.eraseSubject(tenant, subject)))
      total[table] = (total[table] ?? 0) + rows;
  await deps.relational.withSystemSql(tenant, async (sql) => {
    // An id of nothing that was here, perhaps of another tenant, does not get into the trail.
    const wasThere = Object.values(total).some((rows) => rows > 0);
    const object = wasThere && 'agent' in named ? { type: 'agent', id: named.agent } : undefined;
    const entry = { actor: actorOf(ctx.principal), action: 'subject.erase', detail: total };
    await deps.appendAudit(sql, { ...entry, ...(object && { object }) });
  });
  return total;
}
