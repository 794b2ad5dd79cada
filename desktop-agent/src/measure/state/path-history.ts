import type { PathMeasurement } from '@svc/probes/path';
import { createLossWindow, type LossWindow } from '../../attribution/loss-window.ts';
import type { BeyondReading, IspReading, LanReading, Loss } from '../../attribution/readings.ts';
import { medianLow } from '../../attribution/series.ts';
import { createTimedSeries, type TimedSeries } from './timed-series.ts';
import type { UsualValues } from './usual-values.ts';

/** A hop behind the edge at which less than this is lost is not where a loss begins; ratio. */
const LOSS_BEGINS = 0.02;

const edgeOf = (path: PathMeasurement) => path.segments.find((segment) => segment.segment === 'isp-edge');

/** A router that is slow to answer for itself yet passes on quickly delays nobody: what lies behind it bounds its delay. */
function delayFrom(path: PathMeasurement, from: number): number | undefined {
  const rtts = path.hops.flatMap(({ hop, rttMedianMs, rttAvgMs }) => (hop >= from ? (rttMedianMs ?? rttAvgMs ?? []) : []));
  return rtts.length > 0 ? Math.min(...rtts) : undefined;
}

/** How far the probes to the hops from here on lie apart, where that is least: a slow router's own whims are not the line's. */
function spreadFrom(path: PathMeasurement, from: number): number | undefined {
  const spreads = path.hops.flatMap(({ hop, rttMinMs, rttMaxMs, received }) =>
    hop >= from && rttMinMs !== null && rttMaxMs !== null && received > 1 ? [rttMaxMs - rttMinMs] : [],
  );
  return spreads.length > 0 ? Math.min(...spreads) : undefined;
}

/** What one trace says of the ISP's edge; undefined where no public hop answered. */
interface EdgeReading {
  rttMs: number | undefined;
  spreadMs: number | undefined;
}

function readEdge(path: PathMeasurement): EdgeReading | undefined {
  const edge = edgeOf(path);
  return edge && { rttMs: delayFrom(path, edge.hop), spreadMs: spreadFrom(path, edge.hop) };
}

/** The newest traces to one target. */
export interface PathHistory {
  series: TimedSeries<PathMeasurement>;
  /** Loss over the newest probes by hop, as it was measured. */
  losses: Map<number, LossWindow>;
}

export const startPathHistory = (): PathHistory => ({ series: createTimedSeries<PathMeasurement>(), losses: new Map() });

/** Takes a trace; another number of hops is another path, whose losses start anew. */
export function addTrace(history: PathHistory, path: PathMeasurement, atMs: number): void {
  const earlier = history.series.newest()?.value;
  if (earlier?.reached && path.reached && earlier.hops.length !== path.hops.length) history.losses.clear();
  history.series.add(path, atMs);
  for (const { hop, sent, received } of path.hops) {
    const known = history.losses.get(hop);
    // A hop that never answered tells nothing; one that did and is silent lost all.
    if (received === 0 && !known) continue;
    const window = known ?? createLossWindow();
    window.add({ sent, lost: sent - received });
    history.losses.set(hop, window);
  }
}

const ratioOf = ({ sent, lost }: Loss): number => (sent > 0 ? lost / sent : 0);

/**
 * What is lost from a hop on: as much as every later hop that answers loses too, over the newest probes of each. Each hop has probes of
 * its own, so that few of them, compared round by round, would hide a loss. Undefined where nothing behind it answers.
 */
function confirmedLoss(history: PathHistory, path: PathMeasurement, from: number): Loss | undefined {
  const own = history.losses.get(from)?.total();
  const later = path.hops.flatMap(({ hop }) => (hop > from ? (history.losses.get(hop)?.total() ?? []) : []));
  if (!own || later.length === 0) return undefined;
  const ratio = Math.min(...[own, ...later].map(ratioOf));
  const isAtOnce = [own, ...later].some(({ atOnce }) => atOnce);
  return { sent: own.sent, lost: Math.round(ratio * own.sent), ...(isAtOnce ? { atOnce: true } : {}) };
}

const keyOf = (target: string): string => `path ${target}`;
export const EDGE_KEY = 'isp';

export function learnPath(usual: UsualValues, path: PathMeasurement): void {
  const edge = readEdge(path)?.rttMs;
  if (edge !== undefined) usual.note(EDGE_KEY, edge);
  const lan = lanHopOf(path);
  const lanMs = lan && delayFrom(path, lan.hop);
  if (lanMs !== undefined) usual.note(LAN_KEY, lanMs);
  const far = path.reached ? path.hops.at(-1)?.rttAvgMs : undefined;
  if (far !== undefined && far !== null) usual.note(keyOf(path.target), far);
}

/** Where the loss behind the edge begins: the first hop of which this and every later one loses. */
function lossOf(history: PathHistory, path: PathMeasurement, edge: number): BeyondReading['lossAt'] {
  const heard = path.hops.filter(({ hop }) => hop > edge && history.losses.has(hop));
  const last = heard.at(-1);
  const atEnd = last && history.losses.get(last.hop)?.total();
  if (!last || !atEnd) return undefined;
  const lossAt = (hop: number): number => ratioOf(confirmedLoss(history, path, hop) ?? atEnd);
  const first = heard.find(({ hop }) => lossAt(hop) >= LOSS_BEGINS);
  return first ? { hop: first.hop, loss: atEnd } : undefined;
}

/** The hop behind the edge that adds most, measured where later hops bound it. */
function delayOf(paths: readonly PathMeasurement[], edge: number, usualMs: number | undefined): BeyondReading['delayAt'] {
  const newest = paths.at(-1);
  if (!newest) return undefined;
  const medianFrom = (hop: number) => medianLow(paths.flatMap((path) => delayFrom(path, hop) ?? []));
  const steps = newest.hops
    .filter(({ hop, received }) => hop > edge && received > 0)
    .map(({ hop }) => ({ hop, rttMs: medianFrom(hop) ?? 0, addedMs: (medianFrom(hop) ?? 0) - (medianFrom(hop - 1) ?? 0) }));
  const [most] = steps.toSorted((a, b) => b.addedMs - a.addedMs);
  const end = steps.at(-1);
  return most && end && { ...most, rttMs: end.rttMs, ...(usualMs === undefined ? {} : { usualMs }) };
}

/** What the newest traces to one target show behind the ISP's edge; undefined where they show no edge. */
export function readBeyond(
  history: PathHistory,
  paths: readonly PathMeasurement[],
  usual: UsualValues,
): BeyondReading | undefined {
  const newest = paths.at(-1);
  if (!newest) return undefined;
  const lastHeard = newest.hops.findLast(({ received }) => received > 0);
  const edge = edgeOf(newest)?.hop ?? newest.hops.findLast(({ segment }) => segment === 'local')?.hop;
  if (edge === undefined || !lastHeard) return undefined;
  const lossAt = lossOf(history, newest, edge);
  const delayAt = delayOf(paths, edge, usual.usual(keyOf(newest.target)));
  return {
    target: newest.target,
    reached: newest.reached,
    hops: newest.reached ? lastHeard.hop : Math.max(lastHeard.hop, newest.hops.length),
    ...(newest.address === null ? {} : { address: newest.address }),
    ...(lossAt ? { lossAt } : {}),
    ...(delayAt ? { delayAt } : {}),
    ...(newest.reached ? {} : { endsAt: lastHeard.hop }),
  };
}

/** The newest traces to one target with their history. */
export interface FreshTraces {
  history: PathHistory;
  paths: readonly PathMeasurement[];
}

/** Lost at the edge over all traces, as far as later hops confirm it, and what was sent while it was silent. */
function edgeLossOf(traces: readonly FreshTraces[], silent: Loss): Loss {
  const losses = traces.flatMap(({ history, paths }) => {
    const newest = paths.at(-1);
    const edge = newest && edgeOf(newest);
    if (!edge) return [];
    return [confirmedLoss(history, newest, edge.hop) ?? { sent: edge.sent, lost: 0 }];
  });
  const all = silent.lost > 0 ? [...losses, silent] : losses;
  const sum = (field: 'sent' | 'lost'): number => all.reduce((total, one) => total + one[field], 0);
  const [first, ...others] = all.filter(({ lost }) => lost > 0);
  const isAtOnce = first?.atOnce && others.length === 0;
  return { sent: sum('sent'), lost: sum('lost'), ...(isAtOnce ? { atOnce: true } : {}) };
}

/**
 * The edge over all traces: the least delay of each moment, its median over the newest readings. An edge that fell silent has a loss and
 * no delay; undefined where none ever answered.
 */
export function readIsp(traces: readonly FreshTraces[], silent: LossWindow, usual: UsualValues): IspReading | undefined {
  const edges = traces
    .map(({ paths }) => paths.flatMap((path) => readEdge(path) ?? []))
    .filter((readings) => readings.length > 0);
  const loss = edgeLossOf(traces, silent.total());
  if (edges.length === 0) return loss.lost > 0 ? { loss } : undefined;
  const medians = (field: keyof EdgeReading): number[] =>
    edges.flatMap((readings) => medianLow(readings.flatMap((one) => one[field] ?? [])) ?? []);
  const [rtts, spreads] = [medians('rttMs'), medians('spreadMs')];
  const usualMs = usual.usual(EDGE_KEY);
  return {
    loss,
    readings: Math.max(...edges.map((readings) => readings.length)),
    ...(rtts.length > 0 ? { rttMs: Math.min(...rtts) } : {}),
    ...(spreads.length > 0 ? { spreadMs: Math.min(...spreads) } : {}),
    ...(usualMs === undefined ? {} : { usualMs }),
  };
}

/** The last private router behind the gateway; never the target itself, which is a service. */
function lanHopOf(path: PathMeasurement): PathMeasurement['hops'][number] | undefined {
  const last = path.reached ? path.hops.at(-1)?.hop : undefined;
  return path.hops.findLast(({ hop, segment, received }) => hop > 1 && hop !== last && segment === 'local' && received > 0);
}

const LAN_KEY = 'lan';

function readLanOf({ history, paths }: FreshTraces): Omit<LanReading, 'usualMs'> | undefined {
  const newest = paths.at(-1);
  const lan = newest && lanHopOf(newest);
  if (!lan) return undefined;
  const rttMs = medianLow(paths.flatMap((path) => delayFrom(path, lan.hop) ?? []));
  const first = newest.hops.find(
    ({ hop, segment }) => hop > 1 && segment === 'local' && ratioOf(confirmedLoss(history, newest, hop) ?? NONE) >= LOSS_BEGINS,
  );
  return {
    loss: confirmedLoss(history, newest, lan.hop) ?? { sent: lan.sent, lost: 0 },
    hop: Math.min(first?.hop ?? lan.hop, lan.hop),
    hops: newest.hops.length,
    readings: paths.length,
    ...(rttMs === undefined ? {} : { rttMs }),
  };
}

const NONE: Loss = { sent: 0, lost: 0 };

/** Private routers behind the gateway, by the trace that shows least of a fault; undefined where no trace has one. */
export function readLan(traces: readonly FreshTraces[], usual: UsualValues): LanReading | undefined {
  const seen = traces.flatMap((one) => readLanOf(one) ?? []);
  const [best] = seen.toSorted((a, b) => ratioOf(a.loss) - ratioOf(b.loss) || (a.rttMs ?? 0) - (b.rttMs ?? 0));
  const usualMs = usual.usual(LAN_KEY);
  return best && { ...best, ...(usualMs === undefined ? {} : { usualMs }) };
}

/** Nothing answered behind the local network, not even the target. */
export const isEdgeSilent = (path: PathMeasurement): boolean =>
  !path.reached && path.hops.every(({ segment, received }) => received === 0 || segment === 'local');

/** Probes to each hop of a trace. */
export const roundsOf = (path: PathMeasurement): number => Math.max(0, ...path.hops.map(({ sent }) => sent));

export const seesEdge = (path: PathMeasurement): boolean => edgeOf(path) !== undefined;
