/** An IP address; IPv4 carried in IPv6 (::ffff:0:0/96) is the IPv4 address. */
export interface Address {
  bits: 32 | 128;
  value: bigint;
}

export interface Prefix extends Address {
  length: number;
}

const V4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;
const MAPPED = 0xffffn;
/** Wider ones say nothing about who is inside. */
const WIDEST = { 32: 8, 128: 16 } as const;

function parseV4(text: string): bigint | undefined {
  const parts = V4.exec(text)?.slice(1).map(Number);
  if (!parts || parts.some((part) => part > 255)) return undefined;
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

/** Groups of one side of `::`; undefined for what is none. An IPv4 address at the end is two of them. */
function parseGroups(text: string): bigint[] | undefined {
  if (text === '') return [];
  const groups: bigint[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      const v4 = index === parts.length - 1 ? parseV4(part) : undefined;
      if (v4 === undefined) return undefined;
      groups.push(v4 >> 16n, v4 & 0xffffn);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}

function parseV6(text: string): bigint | undefined {
  const sides = text.split('::');
  if (sides.length > 2) return undefined;
  const [head, tail] = [parseGroups(sides[0] ?? ''), parseGroups(sides[1] ?? '')];
  if (!head || !tail) return undefined;
  const zeros = 8 - head.length - tail.length;
  if (sides.length === 1 ? zeros !== 0 : zeros < 1) return undefined;
  return [...head, ...Array<bigint>(zeros).fill(0n), ...tail].reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** Any spelling of an address, in brackets or with a zone too; undefined for what is none. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  const v4 = parseV4(bare);
  if (v4 !== undefined) return { bits: 32, value: v4 };
  if (!bare.includes(':')) return undefined;
  const v6 = parseV6(bare);
  if (v6 === undefined) return undefined;
  return v6 >> 32n === MAPPED ? { bits: 32, value: v6 & 0xffffffffn } : { bits: 128, value: v6 };
}

/** The network of a CIDR, without bits of a host, however wide; undefined for what is none. */
export function parseAnyPrefix(text: string): Prefix | undefined {
  const [, host = '', digits = ''] = /^(.+)\/(\d{1,3})$/.exec(text.trim()) ?? [];
  const address = parseAddress(host);
  if (!address) return undefined;
  // A prefix of mapped addresses counts from the same end as that of IPv4.
  const length = Number(digits) - (address.bits === 32 && host.includes(':') ? 96 : 0);
  if (length > address.bits || length < 0) return undefined;
  const shift = BigInt(address.bits - length);
  return { bits: address.bits, value: (address.value >> shift) << shift, length };
}

/** The same, undefined too for one so wide that it says nothing. */
export function parsePrefix(text: string): Prefix | undefined {
  const prefix = parseAnyPrefix(text);
  return prefix && prefix.length >= WIDEST[prefix.bits] ? prefix : undefined;
}

export const covers = (prefix: Prefix, one: Address & { length?: number }): boolean =>
  prefix.bits === one.bits &&
  prefix.length <= (one.length ?? one.bits) &&
  prefix.value >> BigInt(prefix.bits - prefix.length) === one.value >> BigInt(prefix.bits - prefix.length);

function formatV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt((7 - index) * 16)) & 0xffffn).toString(16));
  const text = groups.join(':');
  const zeros = [...text.matchAll(/\b0(?::0)+\b/g)].sort((a, b) => b[0].length - a[0].length)[0];
  if (!zeros) return text;
  const [before, after] = [text.slice(0, zeros.index), text.slice(zeros.index + zeros[0].length)];
  return `${before.replace(/:$/, '')}::${after.replace(/^:/, '')}`;
}

export const formatAddress = ({ bits, value }: Address): string =>
  bits === 128 ? formatV6(value) : [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');

export const formatPrefix = (prefix: Prefix): string => `${formatAddress(prefix)}/${prefix.length}`;

/** RFC 1918, unique local, link-local, loopback, and what carriers share: the same numbers in many places. */
const IN_MANY_PLACES = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8', '100.64.0.0/10'],
  ...['fd00::/8', 'fc00::/8', 'fe80::/10', '::1/128'],
].flatMap((text) => forcePrefix(text));

function forcePrefix(text: string): Prefix[] {
  const [host = '', length = ''] = text.split('/');
  const address = parseAddress(host);
  return address ? [{ ...address, length: Number(length) }] : [];
}

/** Whether these numbers mean another thing at each site. */
export const isInManyPlaces = (one: Address & { length?: number }): boolean =>
  IN_MANY_PLACES.some((prefix) => covers(prefix, one));
