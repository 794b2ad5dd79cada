import type { DeviceView } from '@svc/contracts/endpoint/view';
import type { Segment } from './segment-words.ts';

export type Path = DeviceView['paths'][number];
type HopView = Path['hops'][number];

/** One node of the drawn path: a hop that answered, a masked one, or a run of silent ones. */
export interface PathNode {
  key: string;
  hops: number[];
  kind: 'answered' | 'masked' | 'silent';
  segment: Segment;
  address: string | null;
  /** What this hop adds to the round trip; later hops vouch for it. */
  addsMs: number | null;
  rttMs: number | null;
  /** Share lost on the edge into it, 0 to 1; only what later hops lose too. */
  lossRatio: number | null;
}

const answered = (hop: HopView): boolean => hop.rtt_ms !== null;
const silent = (hop: HopView): boolean => hop.rtt_ms === null && hop.address === null && hop.unavailable === null;

/**
 * The least value of this and all later hops that answered. A router that answers its own probes slowly or seldom but forwards well
 * shows as a peak that later hops do not have, and blames nobody.
 */
function settle(hops: readonly HopView[], read: (hop: HopView) => number | null): Map<number, number> {
  const settled = new Map<number, number>();
  let least = Number.POSITIVE_INFINITY;
  for (const hop of hops.toReversed()) {
    const value = read(hop);
    if (value === null) continue;
    least = Math.min(least, value);
    settled.set(hop.hop, least);
  }
  return settled;
}

/** A silent hop belongs to the band of the next one that tells its own, else to the one before. */
function segmentsOf(hops: readonly HopView[]): Map<number, Segment> {
  const bands = new Map<number, Segment>();
  let next: Segment | null = null;
  for (const hop of hops.toReversed()) {
    next = hop.segment ?? next;
    if (next) bands.set(hop.hop, next);
  }
  let before: Segment = 'local';
  for (const hop of hops) {
    before = bands.get(hop.hop) ?? before;
    bands.set(hop.hop, before);
  }
  return bands;
}

/** The hops as nodes with what each edge adds and loses; runs of silent hops become one node. */
export function buildNodes(hops: readonly HopView[]): PathNode[] {
  const loss = settle(hops, (hop) => (answered(hop) ? hop.loss_ratio : null));
  const rtt = settle(hops, (hop) => hop.rtt_ms);
  const bands = segmentsOf(hops);
  const nodes: PathNode[] = [];
  let lossBefore = 0;
  let rttBefore = 0;
  for (const hop of hops) {
    const segment = bands.get(hop.hop) ?? 'beyond';
    const last = nodes.at(-1);
    if (silent(hop)) {
      if (last?.kind === 'silent' && last.segment === segment) last.hops.push(hop.hop);
      else
        nodes.push({
          key: `s${hop.hop}`,
          hops: [hop.hop],
          kind: 'silent',
          segment,
          address: null,
          addsMs: null,
          rttMs: null,
          lossRatio: null,
        });
      continue;
    }
    const [lossHere, rttHere] = [loss.get(hop.hop), rtt.get(hop.hop)];
    nodes.push({
      key: `h${hop.hop}`,
      hops: [hop.hop],
      kind: hop.address === null ? 'masked' : 'answered',
      segment,
      address: hop.address,
      rttMs: hop.rtt_ms,
      addsMs: rttHere === undefined ? null : Math.max(0, rttHere - rttBefore),
      lossRatio: lossHere === undefined ? null : Math.max(0, lossHere - lossBefore),
    });
    lossBefore = lossHere ?? lossBefore;
    rttBefore = rttHere ?? rttBefore;
  }
  return nodes;
}

const same = (a: HopView, b: HopView): boolean =>
  a.hop === b.hop &&
  a.segment === b.segment &&
  a.address === b.address &&
  a.unavailable === b.unavailable &&
  answered(a) === answered(b);

/** How many hops from the start all paths share; the last hop of a path is its own. */
export function sharedHops(paths: readonly Path[]): number {
  const [first, ...rest] = paths;
  if (!first) return 0;
  let count = 0;
  for (const hop of first.hops.slice(0, -1)) {
    const all = rest.every((path) => {
      const other = path.hops[count];
      return other !== undefined && count < path.hops.length - 1 && same(hop, other);
    });
    if (!all) break;
    count += 1;
  }
  return count;
}

export interface Branch {
  target: string;
  reached: boolean;
  rttMs: number | null;
  /** Lost beyond what the trunk already loses. */
  lossRatio: number | null;
}

/** Trunk that the chosen paths share, and one branch a target. */
export function buildGraph(paths: readonly Path[]): { trunk: PathNode[]; branches: Branch[] } {
  const [first] = paths;
  if (!first) return { trunk: [], branches: [] };
  const count = paths.length === 1 ? Math.max(0, first.hops.length - (first.reached ? 1 : 0)) : sharedHops(paths);
  const trunk = buildNodes(first.hops).filter((node) => (node.hops[0] ?? 0) <= (first.hops[count - 1]?.hop ?? 0));
  const lostSoFar = trunk.reduce((sum, node) => sum + (node.lossRatio ?? 0), 0);
  const branches = paths.map((path): Branch => {
    const end = path.hops.findLast(answered);
    return {
      target: path.target,
      reached: path.reached,
      rttMs: path.reached ? (end?.rtt_ms ?? null) : null,
      lossRatio:
        path.reached && end?.loss_ratio !== null && end?.loss_ratio !== undefined
          ? Math.max(0, end.loss_ratio - lostSoFar)
          : null,
    };
  });
  return { trunk, branches };
}

/** What each band adds to the round trip, milliseconds; undefined for a band that no hop tells of. */
export function bandShares(nodes: readonly PathNode[]): Map<Segment, { hops: number; addsMs: number | null }> {
  const shares = new Map<Segment, { hops: number; addsMs: number | null }>();
  for (const node of nodes) {
    const share = shares.get(node.segment) ?? { hops: 0, addsMs: null };
    shares.set(node.segment, {
      hops: share.hops + node.hops.length,
      addsMs: node.addsMs === null ? share.addsMs : (share.addsMs ?? 0) + node.addsMs,
    });
  }
  return shares;
}
