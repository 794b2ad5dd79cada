import { BlockList, isIP, isIPv6 } from 'node:net';
import { splitAllowed } from './allowed.ts';

/** What an address is to a server that speaks to the outside. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'link_local' | 'metadata' | 'reserved';

const WORDS: Readonly<Record<Exclude<AddressKind, 'public'>, string>> = {
  private: 'is an address of a private network',
  loopback: 'is the loopback of this server',
  link_local: 'is link-local',
  metadata: 'is where a cloud gives its machines their credentials',
  reserved: 'is no address of a host on the internet',
};

function listOf(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** The first that fits decides: metadata addresses lie inside link-local and private networks. */
const KINDS: readonly (readonly [Exclude<AddressKind, 'public'>, (address: string) => boolean])[] = [
  [
    'metadata',
    listOf([
      ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
      ...['fd00:ec2::/32', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'],
    ]),
  ],
  ['loopback', listOf(['127.0.0.0/8', '::1'])],
  ['link_local', listOf(['169.254.0.0/16', 'fe80::/10'])],
  ['private', listOf(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7', 'fec0::/10'])],
  [
    'reserved',
    listOf([
      ...['0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
      // Tunnels and local translators: where they lead is not in the address, or is somebody else's private network.
      ...['::/96', '64:ff9b:1::/48', '2001::/23', '2001:db8::/32', '2002::/16', 'ff00::/8'],
    ]),
  ],
];

/** IPv4 behind the well-known prefix of NAT64, which is how a network without IPv4 reaches the internet: the IPv4 address decides. */
const NAT64 = listOf(['64:ff9b::/96']);

/** Without zone, and of an address that carries an IPv4 address that one. */
function plainForm(address: string): string {
  const bare = (address.split('%')[0] ?? '').toLowerCase();
  const text = isIPv6(bare) ? new URL(`http://[${bare}]/`).hostname.slice(1, -1) : bare;
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(text);
  const translated = NAT64(text) ? /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(text) : null;
  const found = mapped ?? translated;
  if (!found) return text;
  const value = Number.parseInt(found[1] ?? '0', 16) * 65_536 + Number.parseInt(found[2] ?? '0', 16);
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
}

/** Throws a RangeError for what is no numeric address. */
export function kindOfAddress(address: string): AddressKind {
  const plain = plainForm(address);
  if (isIP(plain) === 0) throw new RangeError('not a numeric address');
  return KINDS.find(([, fits]) => fits(plain))?.[0] ?? 'public';
}

/** Where a connection leads: the name that was asked for, and the port that is dialled. */
export interface Destination {
  host: string;
  port: number;
  /** Of the protocol: those that an entry of SVC_OUTBOUND_ALLOW without a port means. */
  usualPorts: readonly number[];
}

export interface AddressJudge {
  /** Why the address may not be dialled, in words; undefined: it may. */
  refuse(address: string, to: Destination): string | undefined;
  /** Whether it is this machine's own loopback, and named in SVC_OUTBOUND_ALLOW with this port. */
  isLocal(address: string, to: Destination): boolean;
}

const bareName = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

interface Entry {
  fits: (address: string, host: string) => boolean;
  opens: (to: Destination) => boolean;
}

function readEntry(text: string): Entry {
  const { host, ports } = splitAllowed(text);
  const isNumeric = isIP(host.split('/')[0] ?? '') !== 0;
  const isListed = isNumeric ? listOf([host]) : () => false;
  const name = isNumeric ? undefined : bareName(host);
  return {
    fits: (address, asked) => isListed(address) || (name !== undefined && name === bareName(asked)),
    opens: ({ port, usualPorts }) => (ports ? port >= ports.from && port <= ports.to : usualPorts.includes(port)),
  };
}

/**
 * `allow`: the entries of SVC_OUTBOUND_ALLOW. Never decides by a name alone unless the operator named it, nor by an address alone: what listens
 * on another port of an allowed address is somebody else's, and any tenant's connector could speak to it.
 */
export function createAddressJudge(allow: readonly string[]): AddressJudge {
  const entries = allow.map(readEntry);
  const findFitting = (address: string, host: string): Entry[] => {
    const plain = plainForm(address);
    return entries.filter((one) => one.fits(plain, host));
  };
  const isAllowed = (address: string, to: Destination): boolean => findFitting(address, to.host).some((one) => one.opens(to));
  return {
    refuse(address, to) {
      const kind = kindOfAddress(address);
      if (kind === 'public' || isAllowed(address, to)) return undefined;
      const isOtherPort = findFitting(address, to.host).length > 0;
      const missing = isOtherPort ? `names it, but not with port ${to.port}` : 'does not name it';
      return `${plainForm(address)} ${WORDS[kind]}; SVC_OUTBOUND_ALLOW ${missing}.`;
    },
    isLocal: (address, to) => kindOfAddress(address) === 'loopback' && isAllowed(address, to),
  };
}
