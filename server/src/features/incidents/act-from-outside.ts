import { AppError, type TenantId } from '#kernel';
import type { IncidentsDeps } from './context.ts';
import type { IncidentRow } from './store/rows.ts';
import { writeIncidents } from './store/write-incidents.ts';
import { changeIncidents, readIncident, type Work } from './work.ts';

/** What somebody did elsewhere, where the incident was told of. */
export interface OutsideAct {
  incident: string;
  what: 'acknowledge' | 'resolve';
  /** Opaque, such as `connector/abc`: its name is asked for when it is read. */
  actor: string;
  /** Of the entry: by whom, in the words of the other side. */
  detail: string;
}

const ACTIONS = { acknowledge: 'incident.acknowledge', resolve: 'incident.resolve' } as const;

async function find({ sql }: Work, id: string): Promise<IncidentRow | undefined> {
  try {
    return await readIncident(sql, id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function change(row: IncidentRow, { what, actor }: OutsideAct, now: Date): boolean {
  if (row.merged_into !== null || row.status === 'resolved') return false;
  if (what === 'resolve') Object.assign(row, { status: 'resolved', resolved_at: now, resolved_by: actor });
  else if (row.status === 'acknowledged') return false;
  else Object.assign(row, { status: 'acknowledged', acknowledged_at: now, acknowledged_by: actor });
  return true;
}

/**
 * Does here what was done elsewhere, as a person would: the change, its entry and its audit entry are one transaction, of which observers are
 * told. False where there is nothing to do, or no such incident of the tenant's. Never opens again what is resolved.
 */
export async function actFromOutside(deps: IncidentsDeps, tenant: TenantId, act: OutsideAct): Promise<boolean> {
  return await changeIncidents(deps, { tenant }, async (work) => {
    const row = await find(work, act.incident);
    if (!row || !change(row, act, work.now)) return false;
    await writeIncidents(work.sql, [row]);
    work.note({
      incident: row,
      kind: act.what === 'resolve' ? 'resolved' : 'acknowledged',
      actor: act.actor,
      detail: act.detail,
    });
    const object = { type: 'incident', id: row.id };
    await deps.appendAudit(work.sql, { actor: { kind: 'system', id: act.actor }, action: ACTIONS[act.what], object });
    return true;
  });
}
