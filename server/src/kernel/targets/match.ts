import { type Address, covers, isInManyPlaces, type Prefix, parseAddress, parsePrefix } from './address.ts';
import { type Anchor, isOfSilence } from './anchors.ts';

/** Why two things are one, in words; `isExact`: they are the same target. */
export interface Match {
  isExact: boolean;
  why: string;
}

/** Numbers that mean another thing at each site are the same at one known site only; with `loosely`, also where one site is not known. */
function isSamePlace(one: Address & { length?: number }, sites: readonly [string, string], loosely: boolean): boolean {
  const [a, b] = sites;
  if (!isInManyPlaces(one)) return true;
  return a === b ? a !== '' || loosely : loosely && (a === '' || b === '');
}

function matchSame(a: Anchor, b: Anchor): Match | undefined {
  if (a.kind !== b.kind || a.value !== b.value) return undefined;
  if (a.kind === 'prefix') {
    const prefix = parsePrefix(a.value);
    return prefix && isSamePlace(prefix, [a.site, b.site], false) ? { isExact: true, why: `same prefix ${a.value}` } : undefined;
  }
  if (isOfSilence(a)) return { isExact: true, why: 'not run for the same reason' };
  const address = a.kind === 'address' ? parseAddress(a.value) : undefined;
  if (address && !isSamePlace(address, [a.site, b.site], true)) return undefined;
  if (a.isOwn && b.isOwn) {
    if (a.port === 0 || b.port === 0 || a.port === b.port) return { isExact: true, why: 'same target' };
    return { isExact: true, why: `same host, ports ${b.port} and ${a.port}` };
  }
  return { isExact: false, why: `both lead to ${a.value}` };
}

function matchInside(prefixAnchor: Anchor, other: Anchor): Match | undefined {
  const prefix = parsePrefix(prefixAnchor.value);
  const inner: Address | Prefix | undefined = other.kind === 'prefix' ? parsePrefix(other.value) : parseAddress(other.value);
  if (!prefix || !inner || !covers(prefix, inner)) return undefined;
  // What is only partly in many places is not in one.
  if (!isSamePlace(inner, [prefixAnchor.site, other.site], false)) return undefined;
  return { isExact: false, why: `prefix ${prefixAnchor.value} covers ${other.value}` };
}

function matchPair(a: Anchor, b: Anchor): Match | undefined {
  const same = matchSame(a, b);
  if (same || a.kind === 'name' || b.kind === 'name') return same;
  return (a.kind === 'prefix' ? matchInside(a, b) : undefined) ?? (b.kind === 'prefix' ? matchInside(b, a) : undefined);
}

/** The strongest reason for which a signal with anchors `a` belongs to what has anchors `b`. */
export function findMatch(a: readonly Anchor[], b: readonly Anchor[]): Match | undefined {
  let found: Match | undefined;
  for (const one of a)
    for (const other of b) {
      const match = matchPair(one, other);
      if (match?.isExact) return match;
      found ??= match;
    }
  return found;
}
