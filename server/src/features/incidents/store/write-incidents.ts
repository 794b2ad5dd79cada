import type { TenantSql } from '#relational';
import { INCIDENTS, type IncidentRow } from './rows.ts';
import { upsertRows } from './upsert.ts';

/** What a search of the list looks into. */
const searchOf = ({ title, target, prefix, site }: IncidentRow): string =>
  [title, target, prefix, site]
    .filter((part) => part !== null)
    .join(' ')
    .toLowerCase();

/** Writes incidents of the transaction's tenant, new and changed ones. */
export async function writeIncidents(sql: TenantSql, incidents: readonly IncidentRow[]): Promise<void> {
  for (const incident of incidents) incident.search = searchOf(incident);
  await upsertRows(sql, INCIDENTS, { rows: incidents });
}
