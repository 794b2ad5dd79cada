import type { AuditEntry, TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { TenantOfAccount } from './accounts.ts';
import { appendEverywhere, type TrailEntry } from './every-trail.ts';
import { type PresentedLink, useLink } from './links.ts';
import { type AppendAudit, addMember } from './members.ts';

const objectOf = (accountId: string) => ({ type: 'account', id: accountId });
const actorOf = (accountId: string): AuditEntry['actor'] => ({ kind: 'account', id: accountId });

/** That the account's password was replaced by a link, for the trail of each of its tenants. */
export const passwordEntries = (
  tenants: readonly TenantId[],
  accountId: string,
  link: Pick<PresentedLink, 'id' | 'kind'>,
): TrailEntry[] =>
  tenants.map((tenant) => ({
    tenant,
    entry: {
      actor: actorOf(accountId),
      action: 'password.replace',
      object: objectOf(accountId),
      detail: { by: link.kind, link: link.id },
    },
  }));

/** Entries in the trails of an account's other tenants in an hour; what is beyond is counted, and told by the first of a later hour. */
const MOST_ELSEWHERE = 10;

/** That the account joined one more tenant, for the trails of its others. */
async function elsewhereEntries(
  sql: TenantSql,
  tenants: readonly TenantId[],
  { accountId, now }: { accountId: string; now: Date },
): Promise<TrailEntry[]> {
  if (tenants.length === 0) return [];
  const { rows } = await sql.query<{ is_written: boolean; unwritten: number }>(
    'SELECT * FROM directory_note_join_elsewhere($1, $2, $3)',
    [accountId, MOST_ELSEWHERE, now],
  );
  const { is_written: isWritten, unwritten } = rows[0] ?? { is_written: true, unwritten: 0 };
  if (!isWritten) return [];
  const entry: AuditEntry = {
    ...{ actor: actorOf(accountId), action: 'member.join_elsewhere', object: objectOf(accountId) },
    ...(unwritten > 0 && { detail: { more_before: unwritten } }),
  };
  return tenants.map((tenant) => ({ tenant, entry }));
}

/**
 * Uses the link up and makes the account a member with its roles, at the end of a transaction of the link's tenant. The other tenants of
 * the account read in their trail that it joined one more, not which. Whoever calls has checked that the account is who it says.
 */
export async function enterByLink(
  { sql, appendAudit }: { sql: TenantSql; appendAudit: AppendAudit },
  link: PresentedLink,
  { accountId, now, hasNewPassword }: { accountId: string; now: Date; hasNewPassword: boolean },
): Promise<void> {
  const roles = await useLink(sql, link, { by: accountId, now });
  const isNew = await addMember(sql, accountId, { roles, now });
  const { rows } = await sql.query<TenantOfAccount & { id: TenantId }>('SELECT * FROM directory_tenants_of_account($1)', [
    accountId,
  ]);
  const common = { actor: actorOf(accountId), object: objectOf(accountId) };
  const detail = { by: link.kind, link: link.id, roles: roles.join(' ') };
  const others = rows.filter(({ id }) => id !== link.tenant && isNew).map(({ id }) => id);
  const entries: TrailEntry[] = [
    { tenant: link.tenant, entry: { ...common, action: 'member.join', detail } },
    ...(await elsewhereEntries(sql, others, { accountId, now })),
    ...(hasNewPassword ? passwordEntries([link.tenant], accountId, link) : []),
  ];
  await appendEverywhere(sql, appendAudit, { home: link.tenant, entries });
}
