import { AppError, type Ctx } from '#kernel';
import type { Gap, MapInput, Topology } from './api.ts';
import type { TopologyDeps } from './context.ts';
import { buildMap, type EdgeSum, isFlow, type ServiceMap } from './domain/build-map.ts';

const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 15;
const MAX_MINUTES = 7 * 24 * 60;
/** More pairs than a person can look at; the busiest are kept. */
const MAX_EDGES = 2000;
const MAX_NAMES = 20;
/** Minutes that are over for longer than this and not computed are told. */
const BEHIND_MINUTES = 3;

const IN_WINDOW = 'tenant_id = {tenant:String} AND minute >= {from:UInt32} AND minute < {to:UInt32}';

/** Edges of the version that is read of each minute, summed over the window. */
const EDGES = `SELECT source, target, kind, sum(calls) AS calls, sum(errors) AS errors, sumMap(durations) AS durations, sum(bytes) AS bytes
  FROM edges WHERE ${IN_WINDOW} AND (minute, version) IN (
    SELECT minute, max(version) FROM edge_minutes WHERE ${IN_WINDOW} GROUP BY minute)
  GROUP BY source, target, kind ORDER BY sum(edges.calls) DESC, sum(edges.bytes) DESC, source, target LIMIT ${MAX_EDGES + 1}`;

const MINUTES = `SELECT sum(s) AS spans, sum(t) AS sampled, max(o) AS one_in, max(minute) AS newest, count() AS minutes FROM (
  SELECT minute, argMax(spans, version) AS s, argMax(sampled, version) AS t, argMax(one_in, version) AS o
  FROM edge_minutes WHERE ${IN_WINDOW} GROUP BY minute)`;

const WAITING = `SELECT count() AS waiting FROM (SELECT minute FROM edge_marks WHERE ${IN_WINDOW} AND minute < {ripe:UInt32}
  GROUP BY minute HAVING sum(writes) > 0 AND max(rolled) = 0)`;

interface EdgeRow extends Omit<EdgeSum, 'durations'> {
  durations: Record<string, number>;
}

interface MinutesRow {
  spans: number;
  sampled: number;
  one_in: number;
  newest: number;
  minutes: number;
}

function minutesOf({ from, to }: MapInput, nowMs: number): { from: number; to: number } {
  const end = Math.ceil((to === undefined ? nowMs : Date.parse(to)) / MINUTE_MS);
  const start = from === undefined ? end - DEFAULT_MINUTES : Math.floor(Date.parse(from) / MINUTE_MS);
  if (start >= end || start < 0) throw new AppError('validation', 'A window ends after it begins.');
  return { from: Math.max(start, end - MAX_MINUTES), to: end };
}

const toSum = ({ durations, ...row }: EdgeRow): EdgeSum => ({
  ...row,
  durations: new Map(Object.entries(durations).map(([bucket, count]) => [Number(bucket), count])),
});

/** Nodes and edges of a window, and what they cannot tell. AppError `unavailable` where nothing is kept in a column store. */
export async function readMap(
  { telemetry: { store, readers }, clock }: TopologyDeps,
  ctx: Ctx,
  input: MapInput,
): Promise<Topology> {
  if (store === undefined)
    throw new AppError(
      'unavailable',
      'This server runs without a column store, so it keeps no spans: install chdb or set SVC_CLICKHOUSE_URL.',
    );
  const { tenant } = ctx.principal;
  const nowMs = clock.now();
  const window = minutesOf(input, nowMs);
  const nowMinute = Math.floor(nowMs / MINUTE_MS);
  const ripe = Math.max(0, nowMinute - BEHIND_MINUTES);
  const read = <Row>(sql: string, params: Record<string, unknown>) =>
    readers.use(tenant, () => store.read<Row>(tenant, sql, params));
  const [rows, [of], [marks]] = await Promise.all([
    read<EdgeRow>(EDGES, { ...window }),
    read<MinutesRow>(MINUTES, { ...window }),
    read<{ waiting: number }>(WAITING, { ...window, ripe }),
  ]);
  const computed = of && of.minutes > 0 ? of : undefined;
  const until = computed ? computed.newest + 1 : window.from;
  // Minutes that nothing came in count as well; those that are not over, or not computed yet, do not.
  const seconds = (Math.min(window.to, Math.max(until, ripe)) - window.from) * 60;
  const sums = rows.slice(0, MAX_EDGES).map(toSum);
  const map = buildMap(sums, seconds);
  const iso = (minute: number): string => new Date(minute * MINUTE_MS).toISOString();
  return {
    from: iso(window.from),
    to: iso(window.to),
    computed_to: computed ? iso(until) : null,
    ...map,
    spans: computed?.spans ?? 0,
    gaps: findGaps(sums, map, { computed, waiting: marks?.waiting ?? 0, cut: rows.length > MAX_EDGES }),
  };
}

interface Told {
  computed: MinutesRow | undefined;
  waiting: number;
  cut: boolean;
}

function findGaps(sums: readonly EdgeSum[], { nodes, edges }: ServiceMap, { computed, waiting, cut }: Told): Gap[] {
  const gap = (code: Gap['code'], fields: Partial<Gap> = {}): Gap => ({ code, count: null, total: null, names: [], ...fields });
  const callsOf = (kinds: readonly string[]): number =>
    sums.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { calls }) => sum + calls, 0);
  const unseen = callsOf(['unseen']);
  const answered = callsOf(['call', 'message', 'entry', 'unseen']);
  const asked = callsOf(['call', 'message', 'database', 'queue', 'host']);
  const nameless = callsOf(['nameless']);
  const silent = nodes.filter(({ kind, calls }) => kind === 'service' && calls === 0).map(({ name }) => name);
  const { spans = 0, sampled = 0, one_in = 1 } = computed ?? {};
  return [
    ...(spans === 0 ? [gap('no_spans')] : []),
    ...(sums.some(isFlow) ? [] : [gap('no_flows')]),
    ...(waiting > 0 ? [gap('behind', { count: waiting })] : []),
    ...(unseen > 0 ? [gap('unseen_callers', { count: unseen, total: answered })] : []),
    ...(nameless > 0 ? [gap('nameless_callees', { count: nameless, total: asked + nameless })] : []),
    ...(silent.length > 0 ? [gap('no_server_spans', { count: silent.length, names: silent.slice(0, MAX_NAMES) })] : []),
    ...(sampled > 0 ? [gap('sampled', { count: sampled, total: spans })] : []),
    ...(one_in > 1 ? [gap('thinned', { count: one_in })] : []),
    ...(cut ? [gap('cut', { count: edges.length })] : []),
  ];
}
