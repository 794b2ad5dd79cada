import { traceHostFault } from '@svc/contracts/endpoint/trace-host';
import { Policy, policyAsKept } from '@svc/contracts/policy';
import { AppError, actorOf, type Ctx, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { FirstRun, PolicyView, SetPolicy } from '../api.ts';
import type { FleetContext } from '../context.ts';
import { PICK_LIST } from './pick-list.ts';

/** Channel on which every replica hears that a tenant's policy changed: `<tenant>`. */
export const POLICY_CHANNEL = 'svc_agent_policy';

interface PolicyRow {
  version: number;
  policy: unknown;
  created_at: Date;
}

const seedPolicy = ({ seedTargets }: FleetContext): Policy =>
  Policy.parse({ traceTargets: seedTargets.trace, sessionTargets: seedTargets.session });

async function readRow(sql: TenantSql): Promise<PolicyRow | undefined> {
  const text = 'SELECT version, policy, created_at FROM agent_policies ORDER BY version DESC LIMIT 1';
  return (await sql.query<PolicyRow>(text)).rows[0];
}

function toView(context: FleetContext, row: PolicyRow | undefined): PolicyView {
  if (row) {
    // Parsed again: a policy that an older release wrote gets the defaults of what it did not know.
    const policy = policyAsKept({ ...(row.policy as object), version: row.version });
    return { policy, chosen: true, changed_at: row.created_at.toISOString() };
  }
  const policy = seedPolicy(context);
  const chosen = policy.traceTargets.length + policy.sessionTargets.length > 0;
  return { policy, chosen, changed_at: null };
}

/** The policy in force: the newest version, or the seeded default (version 0) while nobody changed anything. */
export async function readPolicy(context: FleetContext, tenant: TenantId): Promise<PolicyView> {
  return toView(context, await context.relational.withTenantSql(tenant, readRow));
}

function refuseBadTargets(policy: SetPolicy['policy']): void {
  const faults = policy.traceTargets.flatMap((host, index) => {
    const message = traceHostFault(host);
    return message === undefined ? [] : [{ path: `policy.traceTargets.${index}`, message }];
  });
  for (const [index, url] of policy.sessionTargets.entries()) {
    if (/[\p{Cc}\s]/u.test(url))
      faults.push({
        path: `policy.sessionTargets.${index}`,
        message: `“${url.slice(0, 200)}” has a space or a control character in it.`,
      });
  }
  if (faults.length > 0) throw new AppError('validation', 'Some targets are not valid.', { faults });
}

/** Puts a new version in force for every agent of the tenant; `conflict` when another one came between. */
export async function setPolicy(context: FleetContext, ctx: Ctx, input: SetPolicy): Promise<PolicyView> {
  refuseBadTargets(input.policy);
  return await context.relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const current = await readRow(sql);
    const version = (current?.version ?? 0) + 1;
    if (input.expected_version !== version - 1)
      throw new AppError('conflict', 'The policy was changed meanwhile. Load it again.');
    const at = new Date(context.clock.now());
    const { rowCount } = await sql.query(
      `INSERT INTO agent_policies (tenant_id, version, policy, created_at, created_by)
       VALUES (current_setting('app.tenant_id'), $1, $2, $3, $4) ON CONFLICT DO NOTHING`,
      [version, JSON.stringify({ ...input.policy, version }), at, ctx.principal.id],
    );
    if (rowCount === 0) throw new AppError('conflict', 'The policy was changed meanwhile. Load it again.');
    const { traceTargets, sessionTargets } = input.policy;
    const detail = { version, trace_targets: traceTargets.length, session_targets: sessionTargets.length };
    await context.appendAudit(sql, { actor: actorOf(ctx.principal), action: 'agent_policy.set', detail });
    await sql.query('SELECT pg_notify($1, $2)', [POLICY_CHANNEL, ctx.principal.tenant]);
    return toView(context, { version, policy: input.policy, created_at: at });
  });
}

/** What the first-run page needs: whether anything was chosen, what can be, and whether a device is there. */
export async function readFirstRun(context: FleetContext, ctx: Ctx): Promise<FirstRun> {
  const contactSince = new Date(context.clock.now() - 10 * 60_000);
  return await context.relational.withTenantSql(ctx.principal.tenant, async (sql) => {
    const { policy, chosen } = toView(context, await readRow(sql));
    const { rows } = await sql.query<{ devices: number; reporting: number }>(
      `SELECT count(*)::int AS devices, (count(*) FILTER (WHERE last_contact_at > $1))::int AS reporting
       FROM agents WHERE revoked_at IS NULL AND retired_at IS NULL`,
      [contactSince],
    );
    return {
      chosen,
      trace_targets: policy.traceTargets,
      session_targets: policy.sessionTargets,
      policy_version: policy.version,
      devices: rows[0]?.devices ?? 0,
      devices_reporting: rows[0]?.reporting ?? 0,
      pick_list: [...PICK_LIST],
    };
  });
}
