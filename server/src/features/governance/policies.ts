import type { GovernanceView } from '@svc/contracts/governance/policy';
import type { AuditEntry, TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { GovernanceDeps } from './context.ts';

/** Channel on which every replica hears whose policy changed. */
export const GOVERNANCE_CHANNEL = 'svc_governance';

type Row = Omit<GovernanceView, 'updated_at'> & { updated_at: Date };

const DEFAULTS: GovernanceView = {
  classification: {},
  redact_from: 'pii',
  redact_export: false,
  ai_remote_egress: false,
  updated_at: null,
};

export async function readPolicy(sql: TenantSql): Promise<GovernanceView> {
  const text = 'SELECT classification, redact_from, redact_export, ai_remote_egress, updated_at FROM governance_policies';
  const [row] = (await sql.query<Row>(text)).rows;
  return row ? { ...row, updated_at: row.updated_at.toISOString() } : DEFAULTS;
}

/** Whether a tenant's data may go to a model elsewhere: no row, no database and no answer all mean no. */
export async function mayLeave(
  { relational, log }: Pick<GovernanceDeps, 'relational' | 'log'>,
  tenant: TenantId,
): Promise<boolean> {
  try {
    return (await relational.withTenantSql(tenant, readPolicy)).ai_remote_egress === true;
  } catch (error) {
    log.warn({ err: error, tenant }, 'consent could not be read, so it is denied');
    return false;
  }
}

/** Gives or withdraws consent; false where it was so already. Running questions of the tenant end when it is withdrawn. */
export async function setConsent(
  { relational, appendAudit, clock }: Omit<GovernanceDeps, 'log'>,
  tenant: TenantId,
  { allowed, actor }: { allowed: boolean; actor: AuditEntry['actor'] },
): Promise<boolean> {
  return await relational.withTenantSql(tenant, async (sql) => {
    const { rowCount } = await sql.query(
      `INSERT INTO governance_policies AS p (tenant_id, ai_remote_egress, updated_at) VALUES (current_setting('app.tenant_id'), $1, $2)
       ON CONFLICT (tenant_id) DO UPDATE SET ai_remote_egress = excluded.ai_remote_egress, updated_at = excluded.updated_at
       WHERE p.ai_remote_egress IS DISTINCT FROM excluded.ai_remote_egress`,
      [allowed, new Date(clock.now())],
    );
    if (!rowCount) return false;
    await appendAudit(sql, { actor, action: 'governance.set', detail: { ai_remote_egress: allowed } });
    await sql.query('SELECT pg_notify($1, $2)', [GOVERNANCE_CHANNEL, tenant]);
    return true;
  });
}
