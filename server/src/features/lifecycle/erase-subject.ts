import { AppError, type AuditEntry, actorOf, type Ctx, keptData, type Slice, type Subject, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';

/** Whom a request names: a person by their address, or one device. */
export type NamedSubject = { email: string } | { agent: string };

export interface SubjectDeps {
  relational: Relational;
  slices: () => readonly Slice[];
  /** Accounts of the tenant with this address, lower case. */
  findPeople: (tenant: TenantId, email: string) => Promise<readonly string[]>;
  /** Devices whose owner has this address. */
  findDevicesOf: (tenant: TenantId, email: string) => Promise<readonly string[]>;
  appendAudit: (sql: TenantSql, entry: AuditEntry) => Promise<void>;
}

async function findSubject(deps: SubjectDeps, tenant: TenantId, named: NamedSubject): Promise<Subject> {
  if ('agent' in named) return { accounts: [], email: undefined, agents: [named.agent] };
  const email = named.email.toLowerCase();
  const [accounts, agents] = await Promise.all([deps.findPeople(tenant, email), deps.findDevicesOf(tenant, email)]);
  return { accounts, email, agents };
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
