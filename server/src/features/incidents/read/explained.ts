import { canonicalTarget, type TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { IncidentsDeps } from '../context.ts';
import { type IncidentRow, SIGNAL_COLUMNS, type SignalRow } from '../store/rows.ts';
import { readIncident } from '../work.ts';
import { readHarmStart } from './about.ts';

/** Those at the beginning say where it began. */
const MAX_SIGNALS = 1000;
const MAX_NEARBY = 100;

type ExplainedSignal = Pick<SignalRow, 'plane' | 'kind' | 'site' | 'attributes' | 'occurred_at'>;
export type ExplainedIncident = Pick<
  IncidentRow,
  'id' | 'number' | 'status' | 'target' | 'prefix' | 'site' | 'started_at' | 'resolved_at'
> & { signals: readonly ExplainedSignal[]; nearby: readonly ExplainedSignal[] };

const OWN = `SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE s.incident_id = $1 ORDER BY s.occurred_at, s.seq LIMIT ${MAX_SIGNALS}`;
/** Of devices at the site: they began within half an hour of the incident, or still went on. */
const NEARBY = `SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE s.kind = 'endpoint.shared_cause' AND s.site = $1
  AND s.occurred_at <= $2::timestamptz + interval '30 minutes' AND (s.recovered_at IS NULL OR s.recovered_at >= $2)
  ORDER BY s.occurred_at DESC LIMIT ${MAX_NEARBY}`;

/** An incident as its cause is looked for: what it is about, since when it does harm, and its signals, the oldest first. AppError `not_found`. */
export async function readExplained(
  { relational }: Pick<IncidentsDeps, 'relational'>,
  tenant: TenantId,
  { id, isAsked }: { id: string; isAsked: boolean },
): Promise<ExplainedIncident> {
  const read = async (sql: TenantSql): Promise<ExplainedIncident> => {
    const row = await readIncident(sql, id);
    row.started_at = await readHarmStart(sql, row);
    const signals = (await sql.query<SignalRow>(OWN, [id])).rows;
    const nearby = row.site === null ? [] : (await sql.query<SignalRow>(NEARBY, [row.site, row.started_at])).rows;
    return { ...row, target: row.target === null ? null : canonicalTarget(row.target), signals, nearby };
  };
  return await (isAsked ? relational.withTenantSql(tenant, read) : relational.withSystemSql(tenant, read));
}
