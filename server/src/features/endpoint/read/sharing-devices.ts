import type { TenantId } from '#kernel';
import type { EndpointDeps } from '../context.ts';
import { createSqlParts, verdictSql } from './fleet-sql.ts';

export interface SharedPlaceOf {
  site: string;
  gateway: string | null;
  cause: string | null;
}

export interface SharingDevice {
  id: string;
  name: string | null;
  since: Date | null;
}

/** Devices of a site, behind the gateway where one is named, that are slow because of the cause now, or all without one; the first so first. */
export async function listSharing(
  { relational, clock }: Pick<EndpointDeps, 'relational' | 'clock'>,
  tenant: TenantId,
  { site, gateway, cause, limit = 100 }: SharedPlaceOf & { limit?: number },
): Promise<SharingDevice[]> {
  const parts = createSqlParts();
  const verdict = verdictSql(parts, clock.now());
  const text = `SELECT id, name, since FROM (SELECT s.agent_id AS id, s.name, s.verdict_since AS since, s.cause, ${verdict} AS verdict
      FROM endpoint_summary s WHERE s.site = ${parts.add(site)} AND (${parts.add(cause)}::text IS NULL OR s.cause = ${parts.add(cause)})
        AND (${parts.add(gateway)}::text IS NULL OR s.gateway_address = ${parts.add(gateway)})) s
    WHERE ${parts.add(cause)}::text IS NULL OR verdict = cause ORDER BY since NULLS LAST, id LIMIT ${parts.add(limit)}`;
  const { rows } = await relational.withTenantSql(tenant, (sql) => sql.query<SharingDevice>(text, parts.values));
  return rows;
}
