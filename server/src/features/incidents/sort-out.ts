import type { Incident } from '@svc/contracts/incidents/incident';
import { AppError, actorOf, type Ctx } from '#kernel';
import { act, checkRoom } from './acts.ts';
import type { IncidentsDeps } from './context.ts';
import { openGathering } from './gathering.ts';
import { nameThem, peopleOf, presentIncident } from './read/present.ts';
import { recount } from './store/recount.ts';
import { type IncidentRow, LINKS, SIGNAL_COLUMNS, SIGNALS, type SignalRow } from './store/rows.ts';
import { upsertRows } from './store/upsert.ts';
import { writeIncidents } from './store/write-incidents.ts';
import { changeIncidents, readIncident, type Work } from './work.ts';

/** Of two incidents that become one: all of them are read and written in one transaction. */
const MAX_MERGED_SIGNALS = 10_000;

const readSignals = async ({ sql }: Work, incident: string): Promise<SignalRow[]> =>
  (await sql.query<SignalRow>(`SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE s.incident_id = $1 ORDER BY s.seq`, [incident]))
    .rows;

async function moveSignals(work: Work, from: IncidentRow, into: IncidentRow): Promise<void> {
  const { sql, now } = work;
  const signals = await readSignals(work, from.id);
  for (const signal of signals) {
    signal.incident_id = into.id;
    signal.joined_by = `merged from incident ${from.number} by a person`;
    signal.seq = work.nextSeq();
  }
  await upsertRows(sql, SIGNALS, { rows: signals });
  await recount(sql, from, now);
  await recount(sql, into, now);
}

/** Puts the signals of one incident into another one; the first is resolved and says where they went. */
export async function mergeIncidents(
  deps: IncidentsDeps,
  ctx: Ctx,
  { id, into }: { id: string; into: string },
): Promise<Incident> {
  if (id === into) throw new AppError('validation', 'An incident cannot be merged into itself.');
  const { principal } = ctx;
  const { tenant, id: person } = principal;
  const row = await changeIncidents(deps, { tenant, isAsked: true }, async (work) => {
    const [from, target] = [await readIncident(work.sql, id), await readIncident(work.sql, into)];
    if (from.merged_into === into) return target;
    if (from.merged_into !== null || target.merged_into !== null)
      throw new AppError('conflict', 'One of these incidents was merged into another one.');
    if (from.signal_count + target.signal_count > MAX_MERGED_SIGNALS)
      throw new AppError('conflict', `Together they would have more than ${MAX_MERGED_SIGNALS} signals, the most possible.`);
    await checkRoom(work, into, 'merged');
    await moveSignals(work, from, target);
    from.merged_into = into;
    if (from.status !== 'resolved') Object.assign(from, { status: 'resolved', resolved_at: work.now, resolved_by: person });
    target.target ??= from.target;
    target.prefix ??= from.prefix;
    target.site ??= from.site;
    await writeIncidents(work.sql, [from, target]);
    const why = `incident ${from.number} was merged into incident ${target.number}`;
    await upsertRows(work.sql, LINKS, { rows: [{ incident_id: into, other_id: id, why }] });
    work.note({ incident: from, kind: 'merged', actor: person, detail: `into ${target.number}` });
    work.note({ incident: target, kind: 'merged', actor: person, detail: `from ${from.number}` });
    const object = { type: 'incident', id };
    await deps.appendAudit(work.sql, { actor: actorOf(principal), action: 'incident.merge', object, detail: { into } });
    return target;
  });
  return presentIncident(row, { tenant, nameOf: await nameThem(deps, tenant, peopleOf(row)) });
}

/** Takes a signal out of its incident. One that still fails is put where it belongs apart from that. */
export async function removeSignal(
  deps: IncidentsDeps,
  ctx: Ctx,
  { id, signal: wanted }: { id: string; signal: string },
): Promise<Incident> {
  const { tenant } = ctx.principal;
  const what = {
    action: 'incident.remove_signal',
    kind: 'signal_removed' as const,
    audit: { signal: wanted },
    async change(row: IncidentRow, work: Work): Promise<boolean> {
      const text = `SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE s.id = $1 AND s.incident_id = $2`;
      const signal = (await work.sql.query<SignalRow>(text, [wanted, id])).rows[0];
      if (!signal) throw new AppError('not_found', 'There is no such signal in this incident.');
      Object.assign(signal, { incident_id: null, joined_by: null, taken_out_of: id });
      await upsertRows(work.sql, SIGNALS, { rows: [{ ...signal, seq: work.nextSeq() }] });
      await recount(work.sql, row, work.now);
      if (signal.recovered_at !== null) return true;
      const gathering = await openGathering(work, [], [signal]);
      gathering.place(signal);
      gathering.keep(signal, true);
      await gathering.write();
      return true;
    },
  };
  const { row } = await act(deps, ctx, { id, what });
  return presentIncident(row, { tenant, nameOf: await nameThem(deps, tenant, peopleOf(row)) });
}
