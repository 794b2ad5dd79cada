import { uuidv7 } from 'uuidv7';
import { AppError, type AuditEntry, type Clock, type TenantId } from '#kernel';
import type { Relational } from '#relational';
import { holdAccount } from '../people/accounts.ts';
import type { AppendAudit } from '../people/members.ts';
import { hashSecret, newSecret, type Vault } from '../secrets.ts';

const ABSOLUTE_MS = 8 * 3_600_000;
const IDLE_SECONDS = 30 * 60;

export interface LiveSession {
  /** Opaque and public, for lists and logs; the secret is only in the cookie. */
  id: string;
  account_id: string;
  tenant_id: TenantId;
  roles: string[];
}

export interface SessionRow {
  id: string;
  tenant_id: string;
  client: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

export interface ClosedSession {
  account_id: string;
  tenant_id: TenantId;
  idToken: string | undefined;
}

interface SessionDeps {
  relational: Relational;
  appendAudit: AppendAudit;
  clock: Clock;
  vault: Vault;
}

export interface NewSession {
  accountId: string;
  tenant: TenantId;
  client: string;
  /** When the sign-in began: a password that was replaced later makes it void. */
  since: Date;
  /** Kept sealed for the log-out of an outside identity provider. */
  idToken: string | undefined;
}

export type Sessions = ReturnType<typeof createSessions>;

const actorOfAccount = (id: string): AuditEntry['actor'] => ({ kind: 'account', id });

/** Server-side sessions: 8 hours at most, 30 minutes idle, ended at once by removing their row. */
export function createSessions({ relational, appendAudit, clock, vault }: SessionDeps) {
  const now = () => new Date(clock.now());
  return {
    /** Gives the secret for the cookie; AppError `unauthorized` when the password was replaced since the sign-in began, `forbidden` for a tenant that is being erased. */
    async open({ accountId, tenant, client, since, idToken }: NewSession): Promise<string> {
      const secret = newSecret();
      const id = uuidv7();
      const sealed = idToken === undefined ? null : vault.seal(idToken, `session/${id}`);
      const expiresAt = new Date(clock.now() + ABSOLUTE_MS);
      await relational.withTenantSql(tenant, async (sql) => {
        if (!(await holdAccount(sql, accountId, { since })))
          throw new AppError('unauthorized', 'The password of this account was changed in the meantime.');
        const values = [hashSecret(secret), id, accountId, tenant, client, sealed, now(), expiresAt];
        const { rowCount } = await sql.query('SELECT * FROM directory_open_session($1, $2, $3, $4, $5, $6, $7, $8)', values);
        if (!rowCount) throw new AppError('forbidden', 'This tenant is being erased.');
        await appendAudit(sql, { actor: actorOfAccount(accountId), action: 'session.start', object: { type: 'session', id } });
      });
      return secret;
    },

    async find(secret: string): Promise<LiveSession | undefined> {
      return (await relational.directory<LiveSession>('find_session', [hashSecret(secret), now(), IDLE_SECONDS]))[0];
    },

    /** Ends the session of this cookie; undefined when there is none. */
    async close(secret: string): Promise<ClosedSession | undefined> {
      type Row = { id: string; account_id: string; tenant_id: TenantId; id_token_sealed: Buffer | null };
      const [row] = await relational.directory<Row>('close_session', [hashSecret(secret)]);
      if (!row) return undefined;
      await relational.withTenantSql(row.tenant_id, async (sql) => {
        const object = { type: 'session', id: row.id };
        await appendAudit(sql, { actor: actorOfAccount(row.account_id), action: 'session.end', object });
      });
      const idToken = row.id_token_sealed ? vault.open<string>(row.id_token_sealed, `session/${row.id}`) : undefined;
      return { account_id: row.account_id, tenant_id: row.tenant_id, idToken };
    },

    /** When a new password ended the session of this cookie; undefined when that is not what ended it. */
    async findPasswordEnd(secret: string): Promise<Date | undefined> {
      const args = [hashSecret(secret), now()];
      return (await relational.directory<{ ended_at: Date }>('find_ended_session', args))[0]?.ended_at;
    },

    list: async (accountId: string): Promise<SessionRow[]> =>
      await relational.directory<SessionRow>('sessions_of_account', [accountId, now(), IDLE_SECONDS]),

    /** True when there was such a session of this account; audited in the tenant of whoever revokes. */
    async revoke(accountId: string, id: string, tenant: TenantId): Promise<boolean> {
      return await relational.withSystemSql(tenant, async (sql) => {
        const { rowCount } = await sql.query('SELECT * FROM directory_revoke_session($1, $2)', [accountId, id]);
        if (!rowCount) return false;
        await appendAudit(sql, { actor: actorOfAccount(accountId), action: 'session.revoke', object: { type: 'session', id } });
        return true;
      });
    },

    /** Moves a session to another tenant of its account; false when the account is not a member there. */
    async move(session: { id: string; accountId: string }, tenant: TenantId): Promise<boolean> {
      return await relational.withTenantSql(tenant, async (sql) => {
        const values = [session.id, session.accountId, tenant];
        const { rowCount } = await sql.query('SELECT * FROM directory_move_session($1, $2, $3)', values);
        if (!rowCount) return false;
        const object = { type: 'session', id: session.id };
        await appendAudit(sql, { actor: actorOfAccount(session.accountId), action: 'session.switch_tenant', object });
        return true;
      });
    },

    purge: async (): Promise<void> => {
      await relational.directory('purge_identity', [now()]);
    },
  };
}
