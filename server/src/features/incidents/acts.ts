import type { Incident } from '@svc/contracts/incidents/incident';
import type { Severity } from '@svc/contracts/incidents/signal';
import { AppError, type AuditEntry, actorOf, type Ctx } from '#kernel';
import type { EntryKind, IncidentsDeps } from './context.ts';
import { reopen } from './gathering.ts';
import { nameThem, peopleOf, presentEntry, presentIncident } from './read/present.ts';
import { readWorst } from './store/recount.ts';
import type { EntryRow, IncidentRow } from './store/rows.ts';
import { writeIncidents } from './store/write-incidents.ts';
import { changeIncidents, readIncident, SYSTEM, type Work } from './work.ts';

/** Of one incident: its comments, and its acts of each kind that can be done over and over. Whoever ends it is never refused. */
export const MAX_ENTRIES = 1000;
const BOUNDED: Partial<Record<EntryKind, string>> = {
  assigned: 'was given to somebody',
  severity_set: 'was given a severity',
  commented: 'was commented on',
  reopened: 'was opened again by people',
  merged: 'was merged with others',
};
const COUNT = `SELECT count(*)::int AS n FROM incident_entries WHERE incident_id = $1 AND kind = $2 AND actor <> '${SYSTEM}'`;

/** Rejects with `conflict` where an incident has as many entries of a kind by people as it may. */
export async function checkRoom({ sql }: Work, id: string, kind: EntryKind): Promise<void> {
  const words = BOUNDED[kind];
  if (words === undefined) return;
  const { rows } = await sql.query<{ n: number }>(COUNT, [id, kind]);
  if ((rows[0]?.n ?? 0) < MAX_ENTRIES) return;
  throw new AppError('conflict', `This incident ${words} ${MAX_ENTRIES} times, the most possible.`);
}

export interface Act {
  /** Of its entry in the trail: `incident.` and this. */
  action: string;
  kind: EntryKind;
  detail?: string;
  /** Of the trail: no name and no text of a person. */
  audit?: AuditEntry['detail'];
  /** Changes the incident; false where there is nothing to do. */
  change(row: IncidentRow, work: Work): boolean | Promise<boolean>;
}

/** One act of a person on an incident: the change, its entry and its audit entry are one transaction. Idempotent. */
export async function act(deps: IncidentsDeps, ctx: Ctx, { id, what }: { id: string; what: Act }) {
  const { principal } = ctx;
  const done = await changeIncidents(deps, { tenant: principal.tenant, isAsked: true }, async (work) => {
    const row = await readIncident(work.sql, id);
    if (row.merged_into !== null) throw new AppError('conflict', 'This incident was merged into another one.');
    let entry: EntryRow | undefined;
    if (await what.change(row, work)) {
      await checkRoom(work, id, what.kind);
      await writeIncidents(work.sql, [row]);
      entry = work.note({ incident: row, kind: what.kind, actor: principal.id, detail: what.detail });
      const object = { type: 'incident', id };
      const detail = what.audit;
      const { action } = what;
      await deps.appendAudit(work.sql, { actor: actorOf(principal), action, object, ...(detail ? { detail } : {}) });
    }
    return { row, entry };
  });
  return done;
}

async function actAndPresent(deps: IncidentsDeps, ctx: Ctx, doing: { id: string; what: Act }): Promise<Incident> {
  const { row } = await act(deps, ctx, doing);
  const { tenant } = ctx.principal;
  return presentIncident(row, { tenant, nameOf: await nameThem(deps, tenant, peopleOf(row)) });
}

const acknowledging = (person: string): Act => ({
  action: 'incident.acknowledge',
  kind: 'acknowledged',
  change(row, { now }) {
    if (row.status === 'resolved') throw new AppError('conflict', 'This incident is resolved. Reopen it first.');
    if (row.status === 'acknowledged') return false;
    row.status = 'acknowledged';
    row.acknowledged_at = now;
    row.acknowledged_by = person;
    return true;
  },
});

const resolving = (person: string): Act => ({
  action: 'incident.resolve',
  kind: 'resolved',
  change(row, { now }) {
    if (row.status === 'resolved') return false;
    row.status = 'resolved';
    row.resolved_at = now;
    row.resolved_by = person;
    return true;
  },
});

const REOPENING: Act = {
  action: 'incident.reopen',
  kind: 'reopened',
  change(row, { now }) {
    if (row.status !== 'resolved') return false;
    reopen(row);
    // It has its minutes without a failure again, from now.
    if (row.open_signal_count === 0) row.recovered_at = now;
    return true;
  },
};

export const acknowledge = (deps: IncidentsDeps, ctx: Ctx, { id }: { id: string }): Promise<Incident> =>
  actAndPresent(deps, ctx, { id, what: acknowledging(ctx.principal.id) });

export const resolve = (deps: IncidentsDeps, ctx: Ctx, { id }: { id: string }): Promise<Incident> =>
  actAndPresent(deps, ctx, { id, what: resolving(ctx.principal.id) });

export const reopenIncident = (deps: IncidentsDeps, ctx: Ctx, { id }: { id: string }): Promise<Incident> =>
  actAndPresent(deps, ctx, { id, what: REOPENING });

/** Gives it to somebody of the tenant, or to nobody. */
export async function assign(
  deps: IncidentsDeps,
  ctx: Ctx,
  { id, account }: { id: string; account: string | null },
): Promise<Incident> {
  if (account !== null) {
    const people = await deps.listPeople(ctx.principal.tenant);
    if (!people.some(({ id: person }) => person === account))
      throw new AppError('validation', 'Nobody of this id in the tenant may change incidents.');
  }
  const what: Act = {
    action: 'incident.assign',
    kind: 'assigned',
    detail: account ?? '',
    audit: { account: account ?? '' },
    change(row) {
      if (row.assigned_to === account) return false;
      row.assigned_to = account;
      return true;
    },
  };
  return await actAndPresent(deps, ctx, { id, what });
}

export async function comment(deps: IncidentsDeps, ctx: Ctx, { id, text }: { id: string; text: string }) {
  const what: Act = {
    action: 'incident.comment',
    kind: 'commented',
    detail: text,
    change: () => true,
  };
  const { entry } = await act(deps, ctx, { id, what });
  if (!entry) throw new AppError('internal', 'A comment was not written.');
  return presentEntry(entry, await nameThem(deps, ctx.principal.tenant, [ctx.principal.id]));
}

/** Sets the severity by hand, or lets it be the highest of the signals' again. */
export async function setSeverity(
  deps: IncidentsDeps,
  ctx: Ctx,
  { id, severity }: { id: string; severity: Severity | null },
): Promise<Incident> {
  const what: Act = {
    action: 'incident.set_severity',
    kind: 'severity_set',
    detail: severity ?? '',
    audit: { severity: severity ?? 'of its signals' },
    async change(row, { sql }) {
      const setBy = severity === null ? null : ctx.principal.id;
      const next = severity ?? (await readWorst(sql, id)) ?? row.severity;
      if (row.severity === next && row.severity_set_by === setBy) return false;
      row.severity = next;
      row.severity_set_by = setBy;
      return true;
    },
  };
  return await actAndPresent(deps, ctx, { id, what });
}
