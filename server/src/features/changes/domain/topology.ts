import type { TOPOLOGIES } from '@svc/contracts/changes/change';
import { type Anchor, covers, type Prefix, parseAddress, parseAnyPrefix } from '#kernel';

export interface Topology {
  kind: (typeof TOPOLOGIES)[number];
  score: number;
  why: string;
}

/** What an incident is about, made ready to be compared with many changes. */
export interface IncidentPlace {
  /** Names and addresses: of its own and its signals' targets, and what data say of these. */
  values: ReadonlySet<string>;
  prefixes: readonly { text: string; prefix: Prefix }[];
  addresses: readonly { text: string; prefix: Prefix }[];
}

/** What a change is recognised by (anchor.ts). */
export interface ChangePlace {
  anchor: string | null;
  prefix: string | null;
}

const asPrefix = (text: string): Prefix | undefined => {
  const address = parseAddress(text);
  return address && { ...address, length: address.bits };
};

export function placeOf(anchors: readonly Pick<Anchor, 'kind' | 'value'>[]): IncidentPlace {
  const read = (kind: Anchor['kind'], parse: (text: string) => Prefix | undefined) =>
    [...new Set(anchors.filter((one) => one.kind === kind).map(({ value }) => value))].flatMap((text) => {
      const prefix = parse(text);
      return prefix ? [{ text, prefix }] : [];
    });
  return {
    values: new Set(anchors.filter(({ kind }) => kind !== 'prefix').map(({ value }) => value)),
    prefixes: read('prefix', parseAnyPrefix),
    addresses: read('address', asPrefix),
  };
}

export const isTargeted = ({ values, prefixes }: IncidentPlace): boolean => values.size > 0 || prefixes.length > 0;

/** Many changes are of few places: each is compared once. */
function once(compare: (text: string) => Topology | undefined): (text: string) => Topology | undefined {
  const known = new Map<string, Topology | undefined>();
  return (text) => {
    if (!known.has(text)) known.set(text, compare(text));
    return known.get(text);
  };
}

/** Compares changes with one incident; undefined: the change happened elsewhere. */
export function createTopology(incident: IncidentPlace) {
  const inside = once((anchor) => {
    if (incident.prefixes.length === 0) return undefined;
    const address = asPrefix(anchor);
    const around = address && incident.prefixes.find(({ prefix }) => covers(prefix, address));
    return around && { kind: 'inside_prefix', score: 0.8, why: `${anchor} is inside ${around.text}` };
  });

  const overlapping = once((text) => {
    const own = parseAnyPrefix(text);
    if (!own) return undefined;
    const other = incident.prefixes.find(({ prefix }) => covers(own, prefix) || covers(prefix, own));
    if (other)
      return {
        kind: 'overlapping_prefixes',
        score: 0.7,
        why: other.text === text ? `same prefix ${text}` : `${text} and ${other.text} overlap`,
      };
    // An address is the smallest prefix.
    const held = incident.addresses.find(({ prefix }) => covers(own, prefix));
    return held && { kind: 'overlapping_prefixes', score: 0.7, why: `${text} covers ${held.text}` };
  });

  return ({ anchor, prefix }: ChangePlace): Topology | undefined => {
    if (anchor !== null && incident.values.has(anchor)) return { kind: 'same_target', score: 1, why: `same target ${anchor}` };
    return (anchor === null ? undefined : inside(anchor)) ?? (prefix === null ? undefined : overlapping(prefix));
  };
}
