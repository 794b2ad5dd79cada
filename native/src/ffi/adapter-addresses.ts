import koffi from 'koffi';
import { addressText } from './address.ts';
import { ipHelper } from './iphlpapi.ts';
import { WIN32 } from './layout/win32.ts';
import { NativeCallError } from './library.ts';
import { allocate } from './memory.ts';

const { structs, constants } = WIN32;
const AT = structs.IP_ADAPTER_ADDRESSES;
const DNS = structs.IP_ADAPTER_DNS_SERVER_ADDRESS;
const { SOCKADDR_IN: V4, SOCKADDR_IN6: V6 } = structs;
const FLAGS = constants.GAA_FLAG_SKIP_UNICAST | constants.GAA_FLAG_SKIP_ANYCAST | constants.GAA_FLAG_SKIP_MULTICAST;
const FIRST_BYTES = 16 * 1024;
const MAX_ADAPTERS = 128;
const MAX_SERVERS = 16;
const MAX_TEXT = 256;

/** One network adapter. Its hardware address stands in the block and is not read. */
export interface Adapter {
  readonly index: number;
  readonly index6: number;
  /** Lower case with braces, as the Wi-Fi interface's own. */
  readonly guid: string;
  readonly name: string;
  readonly description: string;
  /** The domain that DHCP or the connection's settings gave; empty for none. */
  readonly dnsSuffix: string;
  /** IF_TYPE of ipifcons.h. */
  readonly type: number;
  readonly up: boolean;
  readonly metric: number;
  /** Numeric; link-local ones with their zone. */
  readonly dnsServers: readonly string[];
}

/** Throws a NativeCallError where the system refuses. */
export function listAdapters(): Adapter[] {
  const length = allocate(4);
  for (let bytes = FIRST_BYTES; ; bytes = length.readUInt32LE(0)) {
    const block = allocate(bytes);
    length.writeUInt32LE(bytes, 0);
    const status = ipHelper.adapterAddresses()(constants.AF_UNSPEC, FLAGS, null, block, length);
    if (status === constants.NO_ERROR) return parseAdapters(block, koffi.address(block));
    if (status !== constants.ERROR_BUFFER_OVERFLOW || length.readUInt32LE(0) <= bytes) {
      throw new NativeCallError('GetAdaptersAddresses', status);
    }
  }
}

/** Reads the list that begins `block`, whose pointers are addresses within it; what points elsewhere is left out. */
export function parseAdapters(block: Buffer, base: bigint): Adapter[] {
  const within = createPointers(block, base);
  const found: Adapter[] = [];
  let at: number | undefined = 0;
  while (at !== undefined && found.length < MAX_ADAPTERS && at + AT.Ipv4Metric + 4 <= block.length) {
    found.push({
      index: block.readUInt32LE(at + AT.IfIndex),
      index6: block.readUInt32LE(at + AT.Ipv6IfIndex),
      guid: within.text(at + AT.AdapterName, 'latin1').toLowerCase(),
      name: within.text(at + AT.FriendlyName, 'utf16le'),
      description: within.text(at + AT.Description, 'utf16le'),
      dnsSuffix: within.text(at + AT.DnsSuffix, 'utf16le'),
      type: block.readUInt32LE(at + AT.IfType),
      up: block.readUInt32LE(at + AT.OperStatus) === constants.IfOperStatusUp,
      metric: block.readUInt32LE(at + AT.Ipv4Metric),
      dnsServers: serversOf(block, within, at),
    });
    at = within.follow(at + AT.Next);
  }
  return found;
}

interface Pointers {
  /** Where the pointer at `at` points to, as offset. */
  follow: (at: number) => number | undefined;
  text: (at: number, encoding: 'latin1' | 'utf16le') => string;
}

function createPointers(block: Buffer, base: bigint): Pointers {
  const follow = (at: number): number | undefined => {
    if (at + 8 > block.length) return undefined;
    const offset = block.readBigUInt64LE(at) - base;
    return offset > 0n && offset < BigInt(block.length) ? Number(offset) : undefined;
  };
  return {
    follow,
    text(at, encoding) {
      const start = follow(at);
      if (start === undefined) return '';
      const width = encoding === 'utf16le' ? 2 : 1;
      return (
        block
          .subarray(start, start + width * MAX_TEXT)
          .toString(encoding)
          .split('\0')[0] ?? ''
      ).trim();
    },
  };
}

function serversOf(block: Buffer, within: Pointers, adapter: number): string[] {
  const servers: string[] = [];
  let at = within.follow(adapter + AT.FirstDnsServerAddress);
  for (let i = 0; at !== undefined && i < MAX_SERVERS && at + DNS.iSockaddrLength + 4 <= block.length; i += 1) {
    const address = within.follow(at + DNS.lpSockaddr);
    const text = address === undefined ? undefined : socketAddressText(block.subarray(address));
    if (text !== undefined) servers.push(text);
    at = within.follow(at + DNS.Next);
  }
  return servers;
}

/** Text of a SOCKADDR_IN or SOCKADDR_IN6, with the zone where it is link-local; undefined for what is cut short or of another family. */
export function socketAddressText(bytes: Buffer): string | undefined {
  const family = bytes.length < 2 ? 0 : bytes.readUInt16LE(0);
  if (family === constants.AF_INET && bytes.length >= V4.sin_addr + 4)
    return addressText(bytes.subarray(V4.sin_addr, V4.sin_addr + 4));
  if (family !== constants.AF_INET6 || bytes.length < V6.sizeof) return undefined;
  const text = addressText(bytes.subarray(V6.sin6_addr, V6.sin6_addr + 16));
  const scope = bytes.readUInt32LE(V6.sin6_scope_id);
  return text?.startsWith('fe80') && scope !== 0 ? `${text}%${scope}` : text;
}

/** Adapters of VPN clients that call themselves Ethernet, by the descriptions that their drivers give them. */
const VPN_DRIVERS =
  /\b(tap-windows|tap-win32|wintun|wireguard|openvpn|vpn|anyconnect|globalprotect|pangp|fortinet|zscaler|juniper|nordlynx|tailscale)/i;
const TUNNEL_TYPES = new Set<number>([constants.IF_TYPE_PPP, constants.IF_TYPE_PROP_VIRTUAL, constants.IF_TYPE_TUNNEL]);

/** Of a kind that VPNs use: PPP, tunnel or virtual, or a VPN client's driver. */
export const isTunnel = (adapter: Pick<Adapter, 'type' | 'description'>): boolean =>
  TUNNEL_TYPES.has(adapter.type) || VPN_DRIVERS.test(adapter.description);
