import type { Segment } from '@svc/contracts/results/endpoint-results';
import type { HopReading } from '@svc/native/path/path';
import { classifyAddress, sharesLink } from './address-class.ts';
import { medianOf, summariseRoundTrips } from './round-trips.ts';

export interface PathHop {
  /** Distance, from 1. */
  readonly hop: number;
  /** null: the hop did not answer. Public addresses are the caller's to withhold: see `isPublic`. */
  readonly address: string | null;
  readonly isPublic: boolean;
  /** null: a silent hop where it cannot be told. */
  readonly segment: Segment | null;
  readonly sent: number;
  readonly received: number;
  readonly rttAvgMs: number | null;
  readonly rttMinMs: number | null;
  readonly rttMaxMs: number | null;
  /** The lower median of this hop's answers. */
  readonly rttMedianMs?: number | null;
  /** As measured, 0 to 1; null for a silent hop. */
  readonly lossRatio: number | null;
  /** Probes lost that count: a hop's loss is real only as far as every later hop that answers loses too. */
  readonly countedLost: number;
  /** The same as a ratio, 0 to 1: the least loss of this hop and every later one that answers. Null for a silent hop. */
  readonly confirmedLossRatio?: number | null;
  /**
   * Round trip that lies on the way and not in a router that is slow to answer for itself: the least median of this hop and every
   * later one that answers, so that it never falls from hop to hop. Null for a silent hop.
   */
  readonly confirmedDelayMs?: number | null;
}

/** A band of the path, by the hop that stands for it: the last local one, the first public one, the last one beyond. */
export interface PathSegment {
  readonly segment: Segment;
  readonly hop: number;
  readonly rttAvgMs: number;
  readonly sent: number;
  /** Counted losses, as in `PathHop.countedLost`. */
  readonly lost: number;
  readonly lossRatio: number;
}

/** Sorts hops into the bands of a path (docs/contract/results.md) and tells which losses are real. Pure. */
export function describeHops(hops: readonly HopReading[], sourceAddress?: string): PathHop[] {
  const segments = segmentHops(hops, sourceAddress);
  const losses = confirmByLater(hops.map(lossOf));
  const medians = hops.map((hop) => medianOf(hop.rttsMs));
  const delays = confirmByLater(medians);
  return hops.map((hop, at) => {
    const address = hop.addresses[0] ?? null;
    const confirmedLossRatio = losses[at] ?? null;
    return {
      hop: hop.ttl,
      address,
      isPublic: address !== null && classifyAddress(address) !== 'private',
      segment: segments[at] ?? null,
      sent: hop.sent,
      received: hop.received,
      ...summariseRoundTrips(hop.rttsMs),
      rttMedianMs: medians[at] ?? null,
      lossRatio: lossOf(hop),
      countedLost: Math.round((confirmedLossRatio ?? 0) * hop.sent),
      confirmedLossRatio,
      confirmedDelayMs: delays[at] ?? null,
    };
  });
}

const lossOf = (hop: HopReading): number | null => (hop.received === 0 || hop.sent === 0 ? null : 1 - hop.received / hop.sent);

/**
 * A router may be slow to say "time exceeded" and yet forward all: what it shows counts only as far as every later hop that answers
 * shows it too. A hop that never answers tells nothing. Gives for each value the least of it and all later ones; null stays null.
 */
export function confirmByLater(values: readonly (number | null)[]): (number | null)[] {
  let least = Number.POSITIVE_INFINITY;
  return values
    .toReversed()
    .map((value) => {
      if (value === null) return null;
      least = Math.min(least, value);
      return least;
    })
    .toReversed();
}

/** Where the provider's edge is: the first public hop, else the last of the carrier's NAT. Undefined where neither answered. */
export function edgeHopOf(hops: readonly PathHop[]): PathHop | undefined {
  const edge = hops.filter((hop) => hop.received > 0 && hop.segment === 'isp-edge');
  return edge.find((hop) => hop.address !== null && classifyAddress(hop.address) === 'public') ?? edge.at(-1);
}

/**
 * Local up to the last private hop before anything else; then the carrier's NAT and the first public hop are the ISP's edge;
 * the rest, and a public destination itself, lies beyond.
 */
function segmentHops(hops: readonly HopReading[], sourceAddress?: string): (Segment | undefined)[] {
  let band: Segment = 'local';
  return hops.map((hop, at) => {
    const address = hop.addresses[0];
    if (address === undefined) return silentSegment(hops, at, band);
    const found = bandOf(band, hop, { address, isNeighbour: hop.ttl === 1 && sharesLink(address, sourceAddress ?? '') });
    band = found.next;
    return found.own;
  });
}

function bandOf(band: Segment, hop: HopReading, who: { address: string; isNeighbour: boolean }): { own: Segment; next: Segment } {
  if (band === 'beyond') return { own: 'beyond', next: 'beyond' };
  // An IPv6 router at home answers from its public prefix, yet it stands on this very link.
  const kind = who.isNeighbour ? 'private' : classifyAddress(who.address);
  if (kind === 'private') return { own: band, next: band };
  if (kind === 'carrier') return { own: 'isp-edge', next: 'isp-edge' };
  return { own: hop.kind === 'destination' ? 'beyond' : 'isp-edge', next: 'beyond' };
}

/** Between two hops of one band a silent hop belongs to it; the band before a public hop is unknown. */
function silentSegment(hops: readonly HopReading[], at: number, band: Segment): Segment | undefined {
  if (band === 'beyond') return 'beyond';
  const next = hops.slice(at + 1).find((hop) => hop.addresses.length > 0)?.addresses[0];
  return next !== undefined && classifyAddress(next) === 'private' ? band : undefined;
}

/** The hop that stands for each band: the last local, the first public (else the last of the carrier's NAT), the last beyond. */
export function summariseSegments(hops: readonly PathHop[]): PathSegment[] {
  const heard = hops.filter((hop) => hop.received > 0);
  const standing: [Segment, PathHop | undefined][] = [
    ['local', heard.findLast((hop) => hop.segment === 'local')],
    ['isp-edge', edgeHopOf(hops)],
    ['beyond', heard.findLast((hop) => hop.segment === 'beyond')],
  ];
  return standing.flatMap(([segment, hop]) => {
    if (!hop || hop.rttAvgMs === null) return [];
    return [
      {
        segment,
        hop: hop.hop,
        rttAvgMs: hop.rttAvgMs,
        sent: hop.sent,
        lost: hop.countedLost,
        lossRatio: hop.countedLost / hop.sent,
      },
    ];
  });
}
