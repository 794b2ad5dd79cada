import { GRACE_MS } from '@svc/contracts/changes/bounds';
import type { Candidate, IncidentChanges } from '@svc/contracts/changes/change';
import type { TenantId } from '#kernel';
import type { TenantSql } from '#relational';
import type { ChangesDeps } from '../context.ts';
import { type Ranked, rank, tellScore, windowOf } from '../domain/rank.ts';
import { type IncidentPlace, isTargeted, placeOf } from '../domain/topology.ts';
import { CHANGE_COLUMNS, type ChangeRow, presentChange } from '../store/rows.ts';
import { createWhere } from '../store/where.ts';
import { readVerdicts, type VerdictRow } from './verdicts.ts';

/** Ranked of one incident, the newest; and shown of these, the best. */
const MOST_RANKED = 10_000;
const MOST_SHOWN = 100;
const MOST_COUNTED = 100_000;
/** Networks and addresses of one incident that its changes are looked for by. */
const MOST_NETWORKS = 50;

type Deps = Pick<ChangesDeps, 'relational' | 'describeIncident' | 'nameActors' | 'windowMs'>;

interface CandidateRow extends ChangeRow {
  occurredMs: number;
}

interface Span {
  fromMs: number;
  toMs: number;
}

/** Changes of the window that may fit: the same question as `topology.ts` answers, asked of the indexes. */
async function readFitting(sql: TenantSql, place: IncidentPlace, { fromMs, toMs }: Span): Promise<CandidateRow[]> {
  const where = createWhere();
  where.and('c.occurred_at >= ?::timestamptz', new Date(fromMs));
  where.and('c.occurred_at <= ?::timestamptz', new Date(toMs));
  if (isTargeted(place)) {
    const around = [
      ...place.prefixes.map(({ text }) => text),
      ...place.addresses.map(({ text, prefix }) => `${text}/${prefix.bits}`),
    ];
    where.andAny([
      where.part('c.anchor = ANY (?::text[])', [...place.values]),
      ...where.networks([...new Set(around)].slice(0, MOST_NETWORKS)),
    ]);
  }
  const text = `SELECT ${CHANGE_COLUMNS} FROM changes c ${where.text()} ORDER BY c.occurred_at DESC, c.number DESC LIMIT ${MOST_RANKED + 1}`;
  const { rows } = await sql.query<ChangeRow>(text, where.values);
  return rows.map((row) => ({ ...row, occurredMs: row.occurred_at.getTime() }));
}

const COUNTS = `SELECT count(*)::int AS all, (count(*) FILTER (WHERE t.anchor IS NULL AND t.network IS NULL))::int AS untargeted
  FROM (SELECT c.anchor, c.network FROM changes c WHERE c.occurred_at >= $1 AND c.occurred_at <= $2 LIMIT ${MOST_COUNTED}) t`;

async function readAll({ describeIncident, windowMs }: Deps, sql: TenantSql, id: string) {
  const incident = await describeIncident(sql, id);
  const place = placeOf(incident.anchors);
  const span = windowOf(incident.startedAt.getTime(), windowMs);
  const counts = (await sql.query<{ all: number; untargeted: number }>(COUNTS, [new Date(span.fromMs), new Date(span.toMs)]))
    .rows[0];
  const fitting = await readFitting(sql, place, span);
  const verdicts = await readVerdicts(sql, incident.id);
  return { incident, place, span, counts: counts ?? { all: 0, untargeted: 0 }, fitting, verdicts };
}

function present(
  ranked: Ranked<CandidateRow>,
  { tenant, verdict }: { tenant: TenantId; verdict: Candidate['verdict'] },
): Candidate {
  const { change, score, topology, recency, beforeMs } = ranked;
  return {
    change: presentChange(change, tenant),
    score: Number(score.toFixed(6)),
    topology,
    recency: { score: Number(recency.toFixed(6)), seconds_before: Math.round(beforeMs / 1000) },
    sentence: tellScore(ranked),
    verdict,
  };
}

const verdictsBy = (rows: readonly VerdictRow[], names: ReadonlyMap<string, string>) =>
  new Map(
    rows.map(({ change_id, verdict, set_by: by, set_at: at }) => [
      change_id,
      { verdict, by: { id: by, name: names.get(by) ?? 'former member' }, at: at.toISOString() },
    ]),
  );

const toWindow = ({ fromMs, toMs }: Span, windowMs: number): IncidentChanges['window'] => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
  hours: windowMs / 3_600_000,
  grace_minutes: GRACE_MS / 60_000,
});

/** Changes that may have caused an incident, with what was looked at and dropped. What a person said of one is shown and moves none. */
export async function candidatesOf(deps: Deps, tenant: TenantId, id: string): Promise<IncidentChanges> {
  const read = await deps.relational.withTenantSql(tenant, (sql) => readAll(deps, sql, id));
  const { incident, place, span, counts, fitting, verdicts } = read;
  const changes = fitting.slice(0, MOST_RANKED);
  const { ranked } = rank({ startedMs: incident.startedAt.getTime(), place }, changes, deps.windowMs);
  const names = verdicts.length > 0 ? await deps.nameActors(tenant, [...new Set(verdicts.map((one) => one.set_by))]) : new Map();
  const said = verdictsBy(verdicts, names);
  const dropped = isTargeted(place) ? counts.untargeted : 0;
  return {
    items: ranked.slice(0, MOST_SHOWN).map((one) => present(one, { tenant, verdict: said.get(one.change.id) ?? null })),
    window: toWindow(span, deps.windowMs),
    looked_at: {
      ...{ changes: counts.all, candidates: ranked.length, untargeted: dropped, bounded: fitting.length > MOST_RANKED },
      elsewhere: Math.max(0, counts.all - ranked.length - dropped),
    },
    anchors: [...new Set([...place.values, ...place.prefixes.map(({ text }) => text)])].slice(0, 100),
  };
}
