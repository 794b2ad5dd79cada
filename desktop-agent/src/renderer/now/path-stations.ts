import type { HopView, PathView } from '@svc/contracts/agent/ipc';

export interface Station {
  kind: 'device' | 'gateway' | 'hop' | 'group' | 'silent' | 'end';
  /** Hop numbers that it stands for; the device is 0. */
  from: number;
  to: number;
  segment: HopView['segment'];
  /** An address in it stays on this device. */
  masked: boolean;
  /** Share of packets lost on the way from the station before, 0 to 1; null: unknown. */
  lost: number | null;
}

const isSilent = (hop: HopView): boolean => hop.rttMs === null && hop.address === null;

/** Loss up to each hop. A middle hop that drops what it should answer loses nothing: only what later hops miss too is lost. */
function lossUpTo(hops: readonly HopView[]): (number | null)[] {
  let least: number | null = null;
  return hops
    .map((_, index) => hops[hops.length - 1 - index] as HopView)
    .map((hop) => {
      if (hop.lossRatio !== null && !isSilent(hop)) least = least === null ? hop.lossRatio : Math.min(least, hop.lossRatio);
      return least;
    })
    .reverse();
}

function joinSilent(stations: readonly Station[]): Station[] {
  const joined: Station[] = [];
  for (const station of stations) {
    const last = joined.at(-1);
    if (last?.kind === 'silent' && station.kind === 'silent') joined[joined.length - 1] = { ...last, to: station.to };
    else joined.push(station);
  }
  return joined;
}

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(1, a + b));

/** Two segments in one circle hide where a delay starts; the provider's edge says most when it stands alone. */
function hiding(a: Station, b: Station): number {
  if (a.segment === b.segment) return 0;
  if (a.kind !== 'silent' && b.kind !== 'silent') return 1;
  return a.segment === 'isp-edge' || b.segment === 'isp-edge' ? 0.5 : 0;
}

/** Joins neighbours in the middle, the ones that lose least first, until there is room for all. */
function joinMiddle(stations: Station[], most: number): Station[] {
  const left = [...stations];
  while (left.length > Math.max(most, 4)) {
    let at = 2;
    let least = Number.POSITIVE_INFINITY;
    for (let index = 2; index < left.length - 2; index += 1) {
      const [a, b] = [left[index] as Station, left[index + 1] as Station];
      const cost = (b.lost ?? 0) + hiding(a, b);
      if (cost < least) [least, at] = [cost, index];
    }
    const [a, b] = [left[at] as Station, left[at + 1] as Station];
    const joined: Station = {
      kind: a.kind === 'silent' && b.kind === 'silent' ? 'silent' : 'group',
      from: a.from,
      to: b.to,
      segment: a.segment ?? b.segment,
      masked: a.masked || b.masked,
      lost: sum(a.lost, b.lost),
    };
    left.splice(at, 2, joined);
  }
  return left;
}

/** A traced path as the few circles that fit side by side: device, gateway, what lies between, the target. */
export function stationsOf(path: PathView, most: number): Station[] {
  const losses = lossUpTo(path.hops);
  const hops = path.hops.map((hop, index): Station => {
    const before = index === 0 ? 0 : (losses[index - 1] ?? null);
    const here = losses[index] ?? null;
    const isEnd = path.reached && index === path.hops.length - 1;
    const plain = index === 0 && hop.segment === 'local' ? 'gateway' : 'hop';
    return {
      kind: isEnd ? 'end' : isSilent(hop) ? 'silent' : plain,
      from: hop.hop,
      to: hop.hop,
      segment: hop.segment,
      masked: !isEnd && hop.address !== null && !hop.shared,
      lost: here === null || before === null ? null : Math.max(0, here - before),
    };
  });
  const device: Station = { kind: 'device', from: 0, to: 0, segment: null, masked: false, lost: null };
  const last = path.hops.at(-1)?.hop ?? 0;
  const end: Station = { kind: 'end', from: last + 1, to: last + 1, segment: null, masked: false, lost: null };
  return joinMiddle(joinSilent([device, ...hops, ...(path.reached ? [] : [end])]), most);
}
