import type { PathMeasurement } from '@svc/probes/path';
import { createLossWindow, type LossWindow } from '../../attribution/loss-window.ts';
import type { BeyondReading, IspReading } from '../../attribution/readings.ts';
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
  /** Loss over the newest probes by hop, as far as later hops confirm it. */
  losses: Map<number, LossWindow>;
}

export const startPathHistory = (): PathHistory => ({ series: createTimedSeries<PathMeasurement>(), losses: new Map() });

/** Takes a trace; another number of hops is another path, whose losses start anew. */
export function addTrace(history: PathHistory, path: PathMeasurement, atMs: number): void {
  const earlier = history.series.newest()?.value;
  if (earlier?.reached && path.reached && earlier.hops.length !== path.hops.length) history.losses.clear();
  history.series.add(path, atMs);
  for (const { hop, sent, countedLost, received } of path.hops) {
    if (received === 0) continue;
    const window = history.losses.get(hop) ?? createLossWindow();
    window.add({ sent, lost: countedLost });
    history.losses.set(hop, window);
  }
}

const keyOf = (target: string): string => `path ${target}`;
export const EDGE_KEY = 'isp';

export function learnPath(usual: UsualValues, path: PathMeasurement): void {
  const edge = readEdge(path)?.rttMs;
  if (edge !== undefined) usual.note(EDGE_KEY, edge);
  const far = path.reached ? path.hops.at(-1)?.rttAvgMs : undefined;
  if (far !== undefined && far !== null) usual.note(keyOf(path.target), far);
}

/** Where the counted loss behind the edge begins: the first hop of which this and every later one loses. */
function lossOf(history: PathHistory, path: PathMeasurement, edge: number): BeyondReading['lossAt'] {
  const heard = path.hops.filter(({ hop, received }) => hop > edge && received > 0);
  const first = heard.find(({ hop }) => {
    const total = history.losses.get(hop)?.total() ?? { sent: 0, lost: 0 };
    return total.sent > 0 && total.lost / total.sent >= LOSS_BEGINS;
  });
  const last = heard.at(-1);
  const loss = last && history.losses.get(last.hop)?.total();
  return first && loss ? { hop: first.hop, loss } : undefined;
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

/** The edge over all traces: the least delay of each moment, its median over the newest readings. */
export function readIsp(
  traces: readonly (readonly PathMeasurement[])[],
  loss: LossWindow,
  usual: UsualValues,
): IspReading | undefined {
  const edges = traces.map((paths) => paths.flatMap((path) => readEdge(path) ?? [])).filter((readings) => readings.length > 0);
  if (edges.length === 0) return loss.total().lost > 0 ? { loss: loss.total() } : undefined;
  const medians = (field: keyof EdgeReading): number[] =>
    edges.flatMap((readings) => medianLow(readings.flatMap((one) => one[field] ?? [])) ?? []);
  const [rtts, spreads] = [medians('rttMs'), medians('spreadMs')];
  const usualMs = usual.usual(EDGE_KEY);
  return {
    loss: loss.total(),
    readings: Math.max(...edges.map((readings) => readings.length)),
    ...(rtts.length > 0 ? { rttMs: Math.min(...rtts) } : {}),
    ...(spreads.length > 0 ? { spreadMs: Math.min(...spreads) } : {}),
    ...(usualMs === undefined ? {} : { usualMs }),
  };
}

/** Nothing answered behind the local network, not even the target. */
export const isEdgeSilent = (path: PathMeasurement): boolean =>
  !path.reached && path.hops.every(({ segment, received }) => received === 0 || segment === 'local');

/** Probes to each hop of a trace. */
export const roundsOf = (path: PathMeasurement): number => Math.max(0, ...path.hops.map(({ sent }) => sent));

export const edgeLoss = (path: PathMeasurement): { sent: number; lost: number } | undefined => {
  const edge = edgeOf(path);
  if (!edge) return undefined;
  // What answers last may only be slow to answer for itself: nothing behind it confirms what it lost.
  const isLast = !path.reached && path.hops.every(({ hop, received }) => hop <= edge.hop || received === 0);
  return { sent: edge.sent, lost: isLast ? 0 : edge.lost };
};
