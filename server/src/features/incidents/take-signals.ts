import type { Plane, RaisedSignal, SignalKind } from '@svc/contracts/incidents/signal';
import { uuidv7 } from 'uuidv7';
import { nextStep, type Step } from './domain/episode.ts';
import { type Gathering, openGathering } from './gathering.ts';
import { episodeKey, readNewestEpisodes } from './store/read-known.ts';
import { SIGNAL_COLUMNS, type SignalRow } from './store/rows.ts';
import type { Work } from './work.ts';

/** A signal as it is taken: parsed, and asked for whether it is held back. */
export type TakenSignal = Omit<RaisedSignal, 'recovered'> & { recovered: boolean; scope: string };

/** That something still fails is written this seldom. */
const SEEN_EVERY_MS = 30_000;

interface Planned {
  step: Step;
  row: SignalRow;
  isNews: boolean;
  /** The episode before, of one that opens. */
  former?: SignalRow | undefined;
  /** Of one that recovers. */
  endedAt?: Date;
}

/** What is planned before anything is done: the newest episodes, and those that the plan ends. */
interface Plan {
  known: Map<string, SignalRow>;
  ended: Map<SignalRow, Date>;
  now: Date;
}

function toRow(signal: TakenSignal, former: SignalRow | undefined, now: Date): SignalRow {
  // A clock that is ahead does not date what happens into the future.
  const occurred = new Date(Math.min(Date.parse(signal.occurred_at), now.getTime()));
  return {
    ...{ id: uuidv7(), seq: 0, plane: signal.plane, kind: signal.kind, severity: signal.severity, title: signal.title },
    ...{ summary: signal.summary, target: signal.target ?? null, prefix: signal.prefix ?? null, site: signal.site ?? null },
    ...{ attributes: signal.attributes, scope: signal.scope, dedup_key: signal.dedup_key, occurred_at: occurred },
    ...{ last_seen_at: occurred, recovered_at: null, held_back: signal.held_back ?? null },
    ...{ incident_id: null, joined_by: null, taken_out_of: former?.taken_out_of ?? null },
  };
}

const CONTENT = ['severity', 'title', 'summary', 'attributes'] as const;

/** Takes over what the failing says of itself now; true when that is something new. */
function takeOver(row: SignalRow, signal: TakenSignal): boolean {
  const before = JSON.stringify(CONTENT.map((name) => row[name]));
  row.severity = signal.severity;
  row.title = signal.title;
  row.summary = signal.summary;
  // In the order in which the database gives them back.
  const sameKeys = Object.keys(row.attributes).filter((key) => key in signal.attributes);
  row.attributes = Object.fromEntries(
    [...new Set([...sameKeys, ...Object.keys(signal.attributes)])].map((key) => [key, signal.attributes[key] ?? '']),
  );
  row.scope = signal.scope;
  return JSON.stringify(CONTENT.map((name) => row[name])) !== before;
}

/** What is seen to fail now fails anew, though it may date its beginning before the recovery of the episode before. */
const after = (signal: TakenSignal, recoveredAt: Date | null | undefined): TakenSignal =>
  recoveredAt && Date.parse(signal.occurred_at) <= recoveredAt.getTime()
    ? { ...signal, occurred_at: new Date(recoveredAt.getTime() + 1).toISOString() }
    : signal;

function planStep(given: TakenSignal, { known, ended, now }: Plan, seenAt: Date | undefined): Planned | undefined {
  const former = known.get(episodeKey(given));
  const recoveredAt = former && (ended.get(former) ?? former.recovered_at);
  const signal = seenAt && !given.recovered ? after(given, recoveredAt) : given;
  const occurredMs = Date.parse(signal.occurred_at);
  const step = nextStep(
    former && {
      occurredMs: former.occurred_at.getTime(),
      recoveredMs: recoveredAt?.getTime() ?? null,
      isHeldBack: former.held_back !== null,
    },
    { occurredMs, recovered: signal.recovered, isHeldBack: signal.held_back !== undefined },
  );
  if (step === 'nothing') return undefined;
  if (step === 'open' || !former) {
    const row = toRow(signal, former, now);
    known.set(episodeKey(signal), row);
    return { step: 'open', row, isNews: true, former };
  }
  if (step === 'recover') {
    const endedAt = new Date(Math.min(occurredMs, now.getTime()));
    ended.set(former, endedAt);
    return { step, row: former, isNews: true, endedAt };
  }
  const isNews = takeOver(former, signal) || step === 'release';
  const failsAt = seenAt ?? new Date(Math.min(occurredMs, now.getTime()));
  const isDue = failsAt.getTime() - former.last_seen_at.getTime() >= SEEN_EVERY_MS;
  if ((isDue || isNews) && failsAt > former.last_seen_at) former.last_seen_at = failsAt;
  if (step === 'release') former.held_back = null;
  return isDue || isNews ? { step, row: former, isNews } : undefined;
}

/** Whether it has to be put to an incident. */
const isArriving = ({ step, row }: Planned): boolean => (step === 'open' || step === 'release') && row.held_back === null;

function takeStep(gathering: Gathering, planned: Planned, seenAt: Date | undefined): void {
  const { step, row, former, endedAt, isNews } = planned;
  if (isArriving(planned)) {
    if (former) row.incident_id = former.incident_id;
    gathering.place(row, seenAt);
  } else if (endedAt) {
    row.recovered_at = endedAt;
    gathering.recovered(row);
  } else if (step === 'keep') gathering.seen(row);
  gathering.keep(row, isNews);
}

/** Takes signals of one tenant in the order in which they occurred. `seenAt`: until when what still fails was seen to. */
export async function takeSignals(work: Work, signals: readonly TakenSignal[], seenAt?: Date): Promise<void> {
  if (signals.length === 0) return;
  const known = await readNewestEpisodes(work.sql, distinct(signals));
  const state: Plan = { known, ended: new Map(), now: work.now };
  const ordered = signals.toSorted((a, b) => Date.parse(a.occurred_at) - Date.parse(b.occurred_at));
  const planned = ordered.flatMap((signal) => planStep(signal, state, seenAt) ?? []);
  if (planned.length === 0) return;
  const arriving = planned.filter(isArriving);
  const gathering = await openGathering(
    work,
    // A failing that comes again may belong where it was.
    planned.flatMap(({ row, former }) => (former ? [row, former] : [row])),
    arriving.map(({ row }) => row),
  );
  for (const one of planned) takeStep(gathering, one, seenAt);
  await gathering.write();
}

const distinct = (signals: readonly TakenSignal[]): TakenSignal[] => [
  ...new Map(signals.map((signal) => [episodeKey(signal), signal])).values(),
];

export interface Scope {
  plane: Plane;
  kind: SignalKind;
  scope: string;
}

/** Those of a scope that still fail by what was said before, and are not among the present ones any more. */
export async function findGone({ sql }: Work, { plane, kind, scope }: Scope, present: ReadonlySet<string>): Promise<SignalRow[]> {
  const { rows } = await sql.query<SignalRow>(
    `SELECT ${SIGNAL_COLUMNS} FROM signals s WHERE s.recovered_at IS NULL AND s.kind = $1 AND s.plane = $2 AND s.scope = $3`,
    [kind, plane, scope],
  );
  return rows.filter(({ dedup_key: key }) => !present.has(key));
}

/** Ends episodes at `at`. */
export async function endEpisodes(work: Work, rows: readonly SignalRow[], at: Date): Promise<void> {
  if (rows.length === 0) return;
  const gathering = await openGathering(work, rows, []);
  for (const row of rows) {
    // A clock that was set back ends nothing before it began.
    row.recovered_at = at < row.occurred_at ? row.occurred_at : at;
    gathering.recovered(row);
    gathering.keep(row, true);
  }
  await gathering.write();
}
