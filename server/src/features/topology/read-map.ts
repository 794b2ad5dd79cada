import { AppError, type Clock, type Ctx } from '#kernel';
import type { Gap, MapInput, Topology } from './api.ts';
import { buildMap, type EdgeSum, isFlow, type ServiceMap } from './domain/build-map.ts';
import { OTHER } from './edge-rules.ts';
import type { MapReader, MinuteSums } from './reader.ts';

const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 15;
const MAX_MINUTES = 7 * 24 * 60;
/** More pairs than a person can look at; the busiest are kept. */
const MAX_EDGES = 2000;
const MAX_NAMES = 20;
/** Minutes that are over for longer than this and not computed are told. */
const BEHIND_MINUTES = 3;

function minutesOf({ from, to }: MapInput, nowMs: number): { from: number; to: number } {
  const end = Math.ceil((to === undefined ? nowMs : Date.parse(to)) / MINUTE_MS);
  const start = from === undefined ? end - DEFAULT_MINUTES : Math.floor(Date.parse(from) / MINUTE_MS);
  if (start >= end || start < 0) throw new AppError('validation', 'The time window must end after it begins.');
  return { from: Math.max(start, end - MAX_MINUTES), to: end };
}

/** Nodes and edges of a window, and what they cannot tell. */
export async function readMap(
  { reader, clock }: { reader: MapReader; clock: Clock },
  ctx: Ctx,
  input: MapInput,
): Promise<Topology> {
  const nowMs = clock.now();
  const window = minutesOf(input, nowMs);
  const ripe = Math.max(0, Math.floor(nowMs / MINUTE_MS) - BEHIND_MINUTES);
  const question = { ...window, ripe, limit: MAX_EDGES + 1 };
  const { sums: found, computed, waiting } = await reader.read(ctx.principal.tenant, question);
  const until = computed ? computed.newest + 1 : window.from;
  // Minutes that nothing came in count as well; those that are not over, or not computed yet, do not.
  const seconds = (Math.min(window.to, Math.max(until, ripe)) - window.from) * 60;
  const sums = found.slice(0, MAX_EDGES);
  const map = buildMap(sums, seconds);
  const iso = (minute: number): string => new Date(minute * MINUTE_MS).toISOString();
  return {
    from: iso(window.from),
    to: iso(window.to),
    computed_to: computed ? iso(until) : null,
    ...map,
    spans: computed?.spans ?? 0,
    gaps: findGaps(sums, map, { computed, waiting, cut: found.length > MAX_EDGES }),
  };
}

interface Told {
  computed: MinuteSums | undefined;
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
  const beyond = sums
    .filter(({ target, kind }) => target === OTHER && kind !== 'service')
    .reduce((sum, { calls }) => sum + calls, 0);
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
    ...(beyond > 0 ? [gap('folded', { count: beyond })] : []),
    ...(cut ? [gap('cut', { count: edges.length })] : []),
  ];
}
