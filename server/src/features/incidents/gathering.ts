import { uuidv7 } from 'uuidv7';
import { type Anchor, anchorsOf, canonicalTarget, isOfTarget } from '#kernel';
import { type Candidate, correlate, WINDOW_MS } from './domain/correlate.ts';
import { highest } from './domain/severity.ts';
import { findNear, readAnchors, readIncidents } from './store/read-known.ts';
import { ANCHORS, type IncidentRow, LINKS, SIGNALS, type SignalRow } from './store/rows.ts';
import { upsertRows } from './store/upsert.ts';
import { writeIncidents } from './store/write-incidents.ts';
import { SYSTEM, type Work } from './work.ts';

interface Gathered {
  row: IncidentRow;
  anchors: Anchor[];
}

/** Incidents and signals while signals are put to incidents; nothing is written before `write`. Lives as long as its `Work`. */
export interface Gathering {
  incident(id: string): IncidentRow | undefined;
  /** Puts a failing signal where it belongs, or into an incident of its own. `seenAt`: until when it was seen to fail. */
  place(signal: SignalRow, seenAt?: Date): void;
  /** The signal fails, or failed, until then: its incident was seen. */
  seen(signal: SignalRow): void;
  recovered(signal: SignalRow): void;
  /** The signal is to be written, at a new place of the feed where it says something new. */
  keep(signal: SignalRow, isNews: boolean): void;
  write(): Promise<void>;
}

/** Loads what the signals belong to and what they may join. */
export async function openGathering(
  work: Work,
  signals: readonly SignalRow[],
  arriving: readonly SignalRow[],
): Promise<Gathering> {
  const { sql, now } = work;
  const own = signals.flatMap(({ incident_id: id }) => id ?? []);
  const near =
    arriving.length === 0 ? [] : await findNear(sql, arriving.flatMap(anchorsOf), new Date(now.getTime() - 2 * WINDOW_MS));
  const rows = await readIncidents(sql, [...new Set([...own, ...near])]);
  const anchors =
    arriving.length === 0
      ? new Map<string, Anchor[]>()
      : await readAnchors(
          sql,
          rows.map(({ id }) => id),
        );
  return createGathering(work, new Map(rows.map((row) => [row.id, { row, anchors: anchors.get(row.id) ?? [] }])));
}

function createGathering(work: Work, incidents: Map<string, Gathered>): Gathering {
  const changed = new Set<IncidentRow>();
  const signals = new Set<SignalRow>();
  const anchors: object[] = [];
  const links: object[] = [];

  const incidentOf = ({ incident_id: id }: SignalRow): IncidentRow | undefined =>
    id === null ? undefined : incidents.get(id)?.row;

  function join(signal: SignalRow, { row, anchors: known }: Gathered, why: string): void {
    signal.incident_id = row.id;
    signal.joined_by = why;
    addSignal(row, signal);
    for (const anchor of anchorsOf(signal)) {
      if (known.some((one) => isSameAnchor(one, anchor))) continue;
      known.push(anchor);
      const { isOwn, ...rest } = anchor;
      anchors.push({ incident_id: row.id, is_own: isOwn, ...rest });
    }
    changed.add(row);
  }

  function open(signal: SignalRow): void {
    const row = newIncident(signal, { now: work.now, number: work.nextNumber() });
    incidents.set(row.id, { row, anchors: [] });
    join(signal, { row, anchors: incidents.get(row.id)?.anchors ?? [] }, 'opened');
    work.note({ incident: row, kind: 'opened', actor: SYSTEM, signalId: signal.id, detail: signal.title });
  }

  return {
    incident: (id) => incidents.get(id)?.row,
    place(signal, seenAt = signal.last_seen_at) {
      const former = signal.incident_id;
      signal.incident_id = null;
      const candidates = [...incidents.values()].filter(({ row }) => row.merged_into === null).map(toCandidate);
      const { place, alsoFits } = correlate(
        {
          anchors: anchorsOf(signal),
          occurredMs: signal.occurred_at.getTime(),
          seenMs: seenAt.getTime(),
          formerIncident: former ?? undefined,
          takenOutOf: new Set(signal.taken_out_of === null ? [] : [signal.taken_out_of]),
        },
        candidates,
      );
      const home = place && incidents.get(place.incident.id);
      if (!place || !home) return open(signal);
      if (place.reopens) {
        reopen(home.row);
        work.note({ incident: home.row, kind: 'reopened', actor: SYSTEM, signalId: signal.id, detail: place.why });
      }
      join(signal, home, place.why);
      work.note({ incident: home.row, kind: 'signal_joined', actor: SYSTEM, signalId: signal.id, detail: place.why });
      for (const { incident, why } of alsoFits) links.push({ incident_id: home.row.id, other_id: incident.id, why });
    },
    seen(signal) {
      const row = incidentOf(signal);
      if (!row) return;
      see(work, row, signal);
      changed.add(row);
    },
    recovered(signal) {
      const row = incidentOf(signal);
      if (!row) return;
      row.open_signal_count -= 1;
      if (signal.last_seen_at > row.last_seen_at) row.last_seen_at = signal.last_seen_at;
      if (row.open_signal_count === 0) row.recovered_at = work.now;
      changed.add(row);
      work.note({ incident: row, kind: 'signal_recovered', actor: SYSTEM, signalId: signal.id, detail: signal.title });
    },
    keep(signal, isNews) {
      if (isNews) signal.seq = work.nextSeq();
      signals.add(signal);
    },
    write: () => writeAll(work, { incidents: [...changed], signals: [...signals], anchors, links }),
  };
}

/** It fails, or failed: whoever is told by severity is told where that rises. */
function see(work: Work, row: IncidentRow, signal: SignalRow): void {
  if (signal.last_seen_at > row.last_seen_at) row.last_seen_at = signal.last_seen_at;
  const severity = row.severity_set_by === null ? highest(row.severity, signal.severity) : row.severity;
  if (severity === row.severity) return;
  row.severity = severity;
  work.note({ incident: row, kind: 'severity_set', actor: SYSTEM, signalId: signal.id, detail: severity });
}

async function writeAll(
  { sql }: Work,
  { incidents, signals, anchors, links }: { incidents: IncidentRow[] } & Record<'signals' | 'anchors' | 'links', object[]>,
): Promise<void> {
  await writeIncidents(sql, incidents);
  await upsertRows(sql, SIGNALS, { rows: signals });
  await upsertRows(sql, ANCHORS, { rows: anchors, keep: true });
  await upsertRows(sql, LINKS, { rows: links, keep: true });
}

const isSameAnchor = (a: Anchor, b: Anchor): boolean =>
  a.value === b.value && a.kind === b.kind && a.port === b.port && a.isOwn === b.isOwn && a.site === b.site;

const toCandidate = ({ row, anchors }: Gathered): Candidate => ({
  id: row.id,
  number: row.number,
  status: row.status,
  startedMs: row.started_at.getTime(),
  lastSeenMs: row.last_seen_at.getTime(),
  resolvedMs: row.resolved_at?.getTime() ?? null,
  openSignals: row.open_signal_count,
  anchors,
});

/** An incident counts a signal as its own. */
export function addSignal(row: IncidentRow, signal: SignalRow): void {
  row.signal_count += 1;
  if (signal.recovered_at === null) {
    row.open_signal_count += 1;
    row.recovered_at = null;
  }
  if (row.severity_set_by === null) row.severity = highest(row.severity, signal.severity);
  if (!row.planes.includes(signal.plane)) row.planes = [...row.planes, signal.plane];
  if (signal.occurred_at < row.started_at) row.started_at = signal.occurred_at;
  if (signal.last_seen_at > row.last_seen_at) row.last_seen_at = signal.last_seen_at;
  if (!isOfTarget(signal)) return;
  row.target ??= signal.target === null ? null : canonicalTarget(signal.target);
  row.prefix ??= signal.prefix;
  row.site ??= signal.site;
}

export function reopen(row: IncidentRow): void {
  row.status = 'open';
  row.resolved_at = null;
  row.resolved_by = null;
  row.acknowledged_at = null;
  row.acknowledged_by = null;
}

const newIncident = (signal: SignalRow, { now, number }: { now: Date; number: number }): IncidentRow => ({
  ...{ id: uuidv7(), number, status: 'open', severity: signal.severity, severity_set_by: null, title: signal.title },
  ...{
    target: null,
    prefix: null,
    site: null,
    started_at: signal.occurred_at,
    opened_at: now,
    last_seen_at: signal.last_seen_at,
  },
  ...{
    acknowledged_at: null,
    acknowledged_by: null,
    assigned_to: null,
    resolved_at: null,
    resolved_by: null,
    recovered_at: null,
  },
  ...{ signal_count: 0, open_signal_count: 0, planes: [], merged_into: null, search: '' },
});
