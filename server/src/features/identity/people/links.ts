import type { Role } from '@svc/contracts/permissions';
import { uuidv7 } from 'uuidv7';
import { AppError, type AuditEntry, type Clock, type TenantId } from '#kernel';
import type { Relational, TenantSql } from '#relational';
import { rolesAmong } from '../domain/roles.ts';
import { hashSecret, newSecret } from '../secrets.ts';
import { appendEverywhere } from './every-trail.ts';
import type { AppendAudit } from './members.ts';

const HOUR_MS = 3_600_000;
const LIFE_MS = { claim: 24 * HOUR_MS, invite: 7 * 24 * HOUR_MS } as const;
const MAX_OPEN_LINKS = 500;
/** A server that is started again and again before anybody claims it prints a link each time: only the newest few stay open. */
const MAX_OPEN_CLAIMS = 5;

export type LinkKind = 'claim' | 'invite';

/** A link as its holder presents it; only `open` ones may be used. */
export interface PresentedLink {
  tenant: TenantId;
  id: string;
  kind: LinkKind;
  email: string;
  /** Set on a link that gives this account a new password and no roles; a claim does so in whichever tenants the account is. */
  accountId: string | undefined;
  state: 'open' | 'used' | 'expired' | 'revoked';
}

export interface OpenLinkRow {
  id: string;
  kind: LinkKind;
  roles: string[];
  email: string;
  created_at: Date;
  expires_at: Date;
}

export interface LinkDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  clock: Clock;
  publicUrl: string;
}

export interface NewLink {
  kind: LinkKind;
  roles: readonly Role[];
  /** Who it is meant for, shown to the reader; empty for anybody. */
  email: string;
  /** Makes it a link for a new password of this account, valid for 24 hours; earlier ones for it are void. */
  accountId?: string;
  /** Further tenants whose trail tells of it. */
  alsoIn?: readonly TenantId[];
  actor: AuditEntry['actor'];
}

/** Makes a single-use link: 24 hours for a claim, 7 days for an invitation. Its secret is in the URL and nowhere else. */
export async function createLink(
  deps: LinkDeps,
  tenant: TenantId,
  wish: NewLink,
): Promise<{ id: string; url: string; expiresAt: Date }> {
  const id = uuidv7();
  const secret = newSecret();
  const now = deps.clock.now();
  const expiresAt = new Date(now + LIFE_MS[wish.accountId === undefined ? wish.kind : 'claim']);
  await deps.relational.withTenantSql(tenant, async (sql) => {
    if (wish.kind === 'claim' && wish.accountId === undefined) await closeOldClaims(sql, new Date(now));
    if (wish.accountId !== undefined) await closePasswordLinks(sql, wish.accountId, new Date(now));
    // Not for a claim: it has a bound of its own, and open invitations must not keep an operator out.
    if (wish.kind === 'invite' && wish.accountId === undefined) await demandRoom(sql, new Date(now));
    await sql.query(
      `INSERT INTO access_links (tenant_id, id, kind, roles, email, created_by, created_at, expires_at, account_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [tenant, id, wish.kind, wish.roles, wish.email, wish.actor.id, new Date(now), expiresAt, wish.accountId ?? null],
    );
    await sql.query("SELECT * FROM directory_add_credential($1, 'access_link', $2)", [hashSecret(secret), id]);
    const entry = {
      actor: wish.actor,
      action: wish.accountId !== undefined ? 'member.reset_password' : wish.kind === 'claim' ? 'claim.create' : 'member.invite',
      object: wish.accountId !== undefined ? { type: 'account', id: wish.accountId } : { type: 'access_link', id },
      detail: {
        ...(wish.accountId !== undefined ? { link: id } : { roles: wish.roles.join(' ') }),
        expires_at: expiresAt.toISOString(),
      },
    };
    const trails = [...new Set([tenant, ...(wish.alsoIn ?? [])])];
    await appendEverywhere(sql, deps.appendAudit, { home: tenant, entries: trails.map((one) => ({ tenant: one, entry })) });
  });
  return { id, url: `${deps.publicUrl}/auth/${wish.kind}?token=${secret}`, expiresAt };
}

/** Only invitations count: nothing that a tenant does keeps the operator of the server from making a link for it. */
async function demandRoom(sql: TenantSql, now: Date): Promise<void> {
  const { rows } = await sql.query<{ n: string }>(
    `SELECT count(*) AS n FROM access_links WHERE kind = 'invite' AND account_id IS NULL AND used_at IS NULL AND revoked_at IS NULL
       AND expires_at > $1`,
    [now],
  );
  if (Number(rows[0]?.n ?? 0) >= MAX_OPEN_LINKS)
    throw new AppError('conflict', 'Too many open invitations. Withdraw some first.');
}

async function closePasswordLinks(sql: TenantSql, accountId: string, now: Date): Promise<void> {
  const open = 'used_at IS NULL AND revoked_at IS NULL';
  await sql.query(`UPDATE access_links SET revoked_at = $1 WHERE account_id = $2 AND ${open}`, [now, accountId]);
}

const OPEN_CLAIM = "kind = 'claim' AND account_id IS NULL AND used_at IS NULL AND revoked_at IS NULL";

async function closeOldClaims(sql: TenantSql, now: Date): Promise<void> {
  await sql.query(
    `UPDATE access_links SET revoked_at = $1 WHERE ${OPEN_CLAIM} AND id NOT IN
       (SELECT id FROM access_links WHERE ${OPEN_CLAIM} ORDER BY id DESC LIMIT $2)`,
    [now, MAX_OPEN_CLAIMS - 1],
  );
}

interface LinkRow {
  tenant_id: TenantId;
  id: string;
  kind: LinkKind;
  email: string;
  expires_at: Date;
  used_at: Date | null;
  revoked_at: Date | null;
}

export async function findLink(deps: Pick<LinkDeps, 'relational' | 'clock'>, secret: string): Promise<PresentedLink | undefined> {
  const [row] = await deps.relational.directory<LinkRow>('find_access_link', [hashSecret(secret)]);
  if (!row) return undefined;
  const { tenant_id: tenant, id, kind, email } = row;
  const accountId = await deps.relational.withTenantSql(tenant, (sql) => accountOfLink(sql, id));
  const expired = row.expires_at.getTime() <= deps.clock.now();
  return {
    tenant,
    id,
    kind,
    email,
    accountId,
    state: row.used_at ? 'used' : row.revoked_at ? 'revoked' : expired ? 'expired' : 'open',
  };
}

async function accountOfLink(sql: TenantSql, id: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ account_id: string | null }>('SELECT account_id FROM access_links WHERE id = $1', [id]);
  return rows[0]?.account_id ?? undefined;
}

/**
 * Uses an open link up, in the transaction that gives its roles; of two at once one gets `conflict`. A used claim voids the tenant's
 * other open claims: they were made for the same person.
 */
export async function useLink(
  sql: TenantSql,
  link: Pick<PresentedLink, 'id' | 'kind' | 'accountId'>,
  use: { by: string; now: Date },
): Promise<Role[]> {
  const { rows } = await sql.query<{ roles: string[] }>(
    `UPDATE access_links SET used_at = $2, used_by = $3
     WHERE id = $1 AND used_at IS NULL AND revoked_at IS NULL AND expires_at > $2 RETURNING roles`,
    [link.id, use.now, use.by],
  );
  const row = rows[0];
  if (!row) throw new AppError('conflict', 'This link was used or has expired.');
  if (link.kind === 'claim' && link.accountId === undefined) {
    await sql.query(`UPDATE access_links SET revoked_at = $1 WHERE ${OPEN_CLAIM}`, [use.now]);
  }
  return rolesAmong(row.roles);
}

export async function listOpenLinks(sql: TenantSql, now: Date): Promise<OpenLinkRow[]> {
  const { rows } = await sql.query<OpenLinkRow>(
    `SELECT id, kind, roles, email, created_at, expires_at FROM access_links
     WHERE used_at IS NULL AND revoked_at IS NULL AND expires_at > $1 AND account_id IS NULL ORDER BY id DESC LIMIT $2`,
    [now, MAX_OPEN_LINKS],
  );
  return rows;
}

export async function revokeLink(sql: TenantSql, id: string, now: Date): Promise<void> {
  const { rowCount } = await sql.query(
    'UPDATE access_links SET revoked_at = $2 WHERE id = $1 AND used_at IS NULL AND revoked_at IS NULL',
    [id, now],
  );
  if (rowCount === 0) throw new AppError('not_found', 'There is no such open link.');
}

/** Whom these links were for and who used them; ids that are no links of the tenant are left out. */
export async function findLinkPeople(
  sql: TenantSql,
  ids: readonly string[],
): Promise<{ id: string; email: string; used_by: string | null }[]> {
  const text = 'SELECT id::text, email, used_by FROM access_links WHERE id::text = ANY ($1)';
  return (await sql.query<{ id: string; email: string; used_by: string | null }>(text, [ids])).rows;
}
