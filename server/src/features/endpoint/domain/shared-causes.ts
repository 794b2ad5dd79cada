import type { FaultKind } from '@svc/contracts/fault-kinds';
import type { Cause } from '@svc/contracts/verdict';

/** Devices of one site, behind one gateway where it is known, that share a verdict. */
export interface VerdictGroup {
  site: string;
  gateway: string | null;
  cause: Cause;
  /** What is wrong within the cause, where groups are told apart by it; null of an agent that does not say. */
  fault?: FaultKind | null;
  count: number;
  /** When half of them were so, Unix milliseconds: one that is slow for long does not date what befell the others. */
  sinceMs: number | null;
}

export interface SharedCauseGroup {
  cause: Cause;
  site: string;
  gateway: string | null;
  affected: number;
  of: number;
  sinceMs: number | null;
  sentence: string;
}

/** From this many devices on something is shared. */
const MIN_DEVICES = 3;
const WORDS: Readonly<Record<Exclude<Cause, 'none' | 'unknown'>, string>> = {
  wifi: 'Wi-Fi',
  local: 'the local network',
  isp: 'the ISP',
  network: 'the network beyond the ISP',
};

type Shareable = keyof typeof WORDS;
const isShareable = (cause: Cause): cause is Shareable => cause in WORDS;

interface Begun {
  count: number;
  sinceMs: number;
}

interface Tally {
  site: string;
  gateway: string | null;
  of: number;
  causes: Map<Shareable, { affected: number; begun: Begun[] }>;
}

/** When half of the devices were so, by the halves of their groups. */
function halfBegun(groups: readonly Begun[]): number | null {
  const half = groups.reduce((sum, { count }) => sum + count, 0) / 2;
  let seen = 0;
  for (const { count, sinceMs } of groups.toSorted((a, b) => a.sinceMs - b.sinceMs)) {
    seen += count;
    if (seen >= half) return sinceMs;
  }
  return null;
}

function tally(groups: readonly VerdictGroup[], byGateway: boolean): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const { site, gateway, cause, count, sinceMs } of groups) {
    if (byGateway && gateway === null) continue;
    const key = byGateway ? JSON.stringify([site, gateway]) : site;
    const found = tallies.get(key) ?? { site, gateway: byGateway ? gateway : null, of: 0, causes: new Map() };
    tallies.set(key, found);
    found.of += count;
    if (!isShareable(cause)) continue;
    const known = found.causes.get(cause);
    found.causes.set(cause, {
      affected: count + (known?.affected ?? 0),
      begun: [...(known?.begun ?? []), ...(sinceMs === null ? [] : [{ count, sinceMs }])],
    });
  }
  return [...tallies.values()];
}

function toShared(found: Tally): SharedCauseGroup[] {
  const { site, gateway, of } = found;
  const place = gateway === null ? `at ${site}` : `at ${site} behind gateway ${gateway}`;
  return [...found.causes]
    .filter(([, { affected }]) => affected >= MIN_DEVICES)
    .map(([cause, { affected, begun }]) => {
      const sinceMs = halfBegun(begun);
      const who = affected === of ? `All ${of} devices` : `${affected} of ${of} devices`;
      return { cause, site, gateway, affected, of, sinceMs, sentence: `${who} ${place} are slow because of ${WORDS[cause]}.` };
    });
}

/** For one kind of fault: devices slow for another count among the rest, for what mends one mends not the other. */
export const groupsOfKind = (groups: readonly VerdictGroup[], kind: FaultKind | null): VerdictGroup[] =>
  groups.map((group) => ((group.fault ?? null) === kind ? group : { ...group, cause: 'none', sinceMs: null }));

/**
 * What slow devices have in common, most affected first: the same site and gateway, or, where no single gateway explains all of
 * them, the same site. Devices without a site share nothing: 192.168.1.1 is every home.
 */
export function findSharedCauses(groups: readonly VerdictGroup[]): SharedCauseGroup[] {
  const behindGateway = tally(groups, true).flatMap(toShared);
  const explained = new Set(behindGateway.map((one) => JSON.stringify([one.site, one.cause, one.affected])));
  const atSite = tally(groups, false)
    .flatMap(toShared)
    .filter((one) => !explained.has(JSON.stringify([one.site, one.cause, one.affected])));
  return [...behindGateway, ...atSite].sort((a, b) => b.affected - a.affected || a.sentence.localeCompare(b.sentence, 'en'));
}
