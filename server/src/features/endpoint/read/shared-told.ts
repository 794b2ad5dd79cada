import { MIN_OTHERS, type SharedTold } from '@svc/contracts/agent/shared-told';
import type { TenantId } from '#kernel';
import type { EndpointDeps } from '../context.ts';
import { findSharedCauses, type SharedCauseGroup } from '../domain/shared-causes.ts';
import { createSqlParts, verdictSql } from './fleet-sql.ts';
import { judgedGroups, readVerdictGroups } from './summary.ts';

interface AffectedRow {
  agent_id: string;
  site: string;
  gateway: string | null;
  cause: string;
}

/** The largest group that a device belongs to; those of its gateway and of its whole site may both hold it. */
const groupOf = (groups: readonly SharedCauseGroup[], { site, gateway, cause }: AffectedRow): SharedCauseGroup | undefined =>
  groups.find((one) => one.site === site && one.cause === cause && (one.gateway === null || one.gateway === gateway));

/**
 * What each slow device of a tenant may be told of the others at its place: how many, never which, and never of few. Devices that share
 * nothing are left out.
 */
export async function readSharedTold(
  { relational, clock }: Pick<EndpointDeps, 'relational' | 'clock'>,
  tenant: TenantId,
): Promise<ReadonlyMap<string, SharedTold>> {
  return await relational.withTenantSql(tenant, async (sql) => {
    const nowMs = clock.now();
    const groups = findSharedCauses(judgedGroups(await readVerdictGroups(sql, nowMs))).filter(
      ({ affected }) => affected > MIN_OTHERS,
    );
    if (groups.length === 0) return new Map();
    const parts = createSqlParts();
    const sites = [...new Set(groups.map(({ site }) => site))];
    const text = `SELECT agent_id, site, gateway, cause FROM
      (SELECT s.agent_id, s.site, s.gateway_address AS gateway, s.cause, ${verdictSql(parts, nowMs)} AS verdict
        FROM endpoint_summary s WHERE s.site = ANY(${parts.add(sites)}::text[])) s WHERE verdict = cause AND cause <> 'none'`;
    const { rows } = await sql.query<AffectedRow>(text, parts.values);
    const told = rows.flatMap((row) => {
      const group = groupOf(groups, row);
      if (!group) return [];
      const { cause, affected, sinceMs } = group;
      return [[row.agent_id, { cause, others: affected - 1, sinceMs }] as const];
    });
    return new Map(told);
  });
}
