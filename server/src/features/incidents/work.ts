import { uuidv7 } from 'uuidv7';
import { AppError, type TenantId } from '#kernel';
import { assertFence, type Fence, type TenantSql } from '#relational';
import type { EntryKind, IncidentsDeps, IncidentTransition } from './context.ts';
import { ENTRIES, type EntryRow, INCIDENT_COLUMNS, type IncidentRow } from './store/rows.ts';
import { upsertRows } from './store/upsert.ts';

export const SYSTEM = 'system';

export interface Note {
  incident: IncidentRow;
  kind: EntryKind;
  actor: string;
  signalId?: string | undefined;
  detail?: string | undefined;
}

/** One change of a tenant's incidents: alone, and with numbers that leave no gap behind. */
export interface Work {
  sql: TenantSql;
  now: Date;
  nextNumber(): number;
  nextSeq(): number;
  /** Adds an entry to the trail of an incident, and tells the observers of it as it is when the work is done. */
  note(note: Note): EntryRow;
}

/** The tenant's writers take turns, on all replicas: so an event opens one incident, and `signals.seq` is committed in its order. */
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('incidents/' || current_setting('app.tenant_id'), 0))";
const COUNTERS = `INSERT INTO incident_counters AS c (tenant_id) VALUES (current_setting('app.tenant_id'))
  ON CONFLICT (tenant_id) DO UPDATE SET last_seq = c.last_seq RETURNING last_number::float8 AS number, last_seq::float8 AS seq`;

const COUNTED = `UPDATE incident_counters SET last_number = $1, last_seq = $2 WHERE tenant_id = current_setting('app.tenant_id')`;

type Place = { tenant: TenantId; fence?: Fence | undefined; isAsked?: boolean };

/** Runs one change in a transaction of its own, fenced where it is leased work. `isAsked`: by a request, on the tenant's connections. */
export async function changeIncidents<T>(deps: IncidentsDeps, place: Place, change: (work: Work) => Promise<T>): Promise<T> {
  const { relational, clock, observers = [] } = deps;
  const kinds: EntryKind[] = [];
  const run = async (sql: TenantSql): Promise<T> => {
    if (place.fence) await assertFence(sql, place.fence);
    await sql.query(LOCK);
    const { rows } = await sql.query<{ number: number; seq: number }>(COUNTERS);
    const { number: firstNumber, seq: firstSeq } = rows[0] ?? { number: 0, seq: 0 };
    let [number, seq] = [firstNumber, firstSeq];
    const notes: { note: Note; row: EntryRow }[] = [];
    const now = new Date(clock.now());
    const result = await change({
      sql,
      now,
      nextNumber: () => ++number,
      nextSeq: () => ++seq,
      note: (note) => {
        const { incident, kind, actor, signalId, detail } = note;
        const row: EntryRow = {
          ...{ id: uuidv7(), incident_id: incident.id, at: now, kind, actor },
          ...{ signal_id: signalId ?? null, detail: detail ?? '' },
        };
        notes.push({ note, row });
        return row;
      },
    });
    await upsertRows(sql, ENTRIES, { rows: notes.map(({ row }) => row) });
    // Whoever follows by `pulse` sees that something changed, also where no signal did.
    if (notes.length > 0) seq += 1;
    if (seq !== firstSeq || number !== firstNumber) await sql.query(COUNTED, [number, seq]);
    const transitions = notes.map(toTransition);
    if (transitions.length > 0) for (const observe of observers) await observe(sql, transitions);
    kinds.push(...transitions.map(({ kind }) => kind));
    return result;
  };
  const done = await (place.isAsked ? relational.withTenantSql(place.tenant, run) : relational.withSystemSql(place.tenant, run));
  deps.onCommitted?.(place.tenant, kinds);
  return done;
}

const toTransition = ({ note: { incident, kind, actor }, row }: { note: Note; row: EntryRow }): IncidentTransition => {
  const { id, number, status, severity, title, target } = incident;
  return {
    kind,
    incident: { id, number, status, severity, title, target },
    at: row.at,
    actor,
    signalId: row.signal_id,
    detail: row.detail,
  };
};

/** AppError `not_found` for one that is not this tenant's. */
export async function readIncident(sql: TenantSql, id: string): Promise<IncidentRow> {
  const { rows } = await sql.query<IncidentRow>(`SELECT ${INCIDENT_COLUMNS} FROM incidents i WHERE i.id = $1`, [id]);
  if (!rows[0]) throw new AppError('not_found', 'There is no such incident.');
  return rows[0];
}
