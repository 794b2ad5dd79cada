import type { EndpointRow } from '@svc/contracts/endpoint/view';
import type { FaultKind } from '@svc/contracts/fault-kinds';
import type { SharedPlace } from '@svc/contracts/judged/advice';
import { CAUSES, type Cause } from '@svc/contracts/verdict';
import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { EndpointContext } from '../context.ts';
import { findSharedCauses, groupsOfKind, type VerdictGroup } from '../domain/shared-causes.ts';
import { createSqlParts, verdictSql } from './fleet-sql.ts';

interface GroupRow {
  cause: Cause;
  fault: FaultKind | null;
  gateway: string | null;
  count: number;
  since: Date | null;
}

async function readGroups(sql: TenantSql, site: string, nowMs: number): Promise<VerdictGroup[]> {
  const parts = createSqlParts();
  const text = `SELECT cause, fault, gateway, count(*)::int AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY verdict_since) AS since
    FROM (SELECT ${verdictSql(parts, nowMs)} AS verdict, s.cause, s.fault_kind AS fault, s.gateway_address AS gateway, s.verdict_since
      FROM endpoint_summary s WHERE s.site = ${parts.add(site)}) s
    WHERE verdict = cause GROUP BY cause, fault, gateway`;
  const { rows } = await sql.query<GroupRow>(text, parts.values);
  return rows.map(({ since, ...group }) => ({ ...group, site, sinceMs: since?.getTime() ?? null }));
}

/** Who else of the device's site has its cause and its kind of fault, from three devices on: behind the same gateway where that explains it. */
export async function readSharedPlace(deps: EndpointContext, tenant: TenantId, row: EndpointRow): Promise<SharedPlace | null> {
  const { site, verdict, fault, gateway_address: gateway } = row;
  const cause = CAUSES.find((one) => one === verdict);
  if (site === null || cause === undefined || cause === 'none') return null;
  const nowMs = deps.clock.now();
  const groups = await deps.relational.withTenantSql(tenant, async (sql) => await readGroups(sql, site, nowMs));
  const shared = findSharedCauses(groupsOfKind(groups, fault?.kind ?? null)).filter((one) => one.cause === cause);
  const found = shared.find((one) => one.gateway === null || one.gateway === gateway);
  if (!found) return null;
  const since = found.sinceMs === null ? null : new Date(found.sinceMs).toISOString();
  return { affected: found.affected, of: found.of, site, gateway: found.gateway, since };
}
