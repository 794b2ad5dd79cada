import { anchorsOf, canonicalTarget, formatAddress, formatPrefix, parseAddress, parseAnyPrefix } from '#kernel';

/** What a change is recognised by, in the spelling of incidents. */
export interface ChangeAnchor {
  /** As people read it. */
  target: string | null;
  /** A name, a service's short name, or an address; without a port. */
  anchor: string | null;
  /** The anchor where it is an address. */
  address: string | null;
  prefix: string | null;
}

export const NOWHERE: ChangeAnchor = { target: null, anchor: null, address: null, prefix: null };

export function anchorOf({ target, prefix }: { target: string | null; prefix: string | null }): ChangeAnchor {
  const network = prefix === null ? undefined : parseAnyPrefix(prefix);
  const anchors = target === null ? [] : anchorsOf({ target, attributes: {} });
  // `orders.shop.svc.cluster.local` and `orders` are one service.
  const anchor = (anchors.find(({ isOwn }) => !isOwn) ?? anchors[0])?.value ?? null;
  const address = anchor === null ? undefined : parseAddress(anchor);
  return {
    target: target === null || anchor === null ? null : canonicalTarget(target),
    anchor,
    address: address ? formatAddress(address) : null,
    prefix: network ? formatPrefix(network) : null,
  };
}

/** Networks that hold this one, itself among them: what contains it begins at one of these. */
export function networksAround(text: string): string[] {
  const inner = parseAnyPrefix(text);
  if (!inner) return [];
  return Array.from({ length: inner.length + 1 }, (_, length) => {
    const shift = BigInt(inner.bits - length);
    return formatPrefix({ bits: inner.bits, value: (inner.value >> shift) << shift, length });
  });
}

/** First and last address inside of a network. */
export function edgesOf(text: string): { first: string; last: string } | undefined {
  const network = parseAnyPrefix(text);
  if (!network) return undefined;
  const size = 1n << BigInt(network.bits - network.length);
  return { first: formatPrefix(network), last: formatAddress({ bits: network.bits, value: network.value + size - 1n }) };
}
