/** Offsets behind the virtio-net header (10 bytes) and the Ethernet header (14). */
const ETHERTYPE = 22;
const NETWORK = 24;
const IPV4 = 0x0800;
const IPV6 = 0x86dd;
const IPPROTO_ICMP = 1;
const IPPROTO_ICMPV6 = 58;
const ICMP_ERRORS = new Set([3, 11]);
const ICMPV6_ERRORS = new Set([1, 2, 3]);
const NEIGHBOUR_DISCOVERY = { first: 133, last: 137 } as const;

/** `neighbour`: address resolution, which the lab never disturbs, or a link would look cut instead of lossy. */
export type FrameVerdict = 'neighbour' | 'icmp-error' | 'icmp' | 'other';

/** What a frame carries, as far as the link's settings tell frames apart. */
export function judgeFrame(frame: Buffer): FrameVerdict {
  if (frame.length < NETWORK + 20) return 'neighbour';
  const type = frame.readUInt16BE(ETHERTYPE);
  if (type === IPV4) {
    if (frame.readUInt8(NETWORK + 9) !== IPPROTO_ICMP) return 'other';
    const at = NETWORK + (frame.readUInt8(NETWORK) & 0xf) * 4;
    return at < frame.length && ICMP_ERRORS.has(frame.readUInt8(at)) ? 'icmp-error' : 'icmp';
  }
  if (type !== IPV6) return 'neighbour';
  if (frame.length <= NETWORK + 40 || frame.readUInt8(NETWORK + 6) !== IPPROTO_ICMPV6) return 'other';
  const icmpType = frame.readUInt8(NETWORK + 40);
  if (icmpType >= NEIGHBOUR_DISCOVERY.first && icmpType <= NEIGHBOUR_DISCOVERY.last) return 'neighbour';
  return ICMPV6_ERRORS.has(icmpType) ? 'icmp-error' : 'icmp';
}

const VNET_GSO_TYPE = 1;
const VNET_GSO_SIZE = 4;
const TRANSPORTS = { 6: 'tcp', 17: 'udp' } as const;

/** What a link's rules tell packets apart by. */
export interface Packet {
  readonly from: string;
  readonly to: string;
  readonly transport: 'tcp' | 'udp' | null;
  readonly ports: readonly number[];
  /** As it would go over a wire: of a large segment that the card would cut, one piece. */
  readonly bytes: number;
}

/** Of a frame that carries IP; extension headers of IPv6 are not looked through. */
export function describePacket(frame: Buffer): Packet {
  const isV6 = frame.readUInt16BE(ETHERTYPE) === IPV6;
  const protocol = frame.readUInt8(NETWORK + (isV6 ? 6 : 9));
  const headerBytes = isV6 ? 40 : (frame.readUInt8(NETWORK) & 0xf) * 4;
  const transport = TRANSPORTS[protocol as keyof typeof TRANSPORTS] ?? null;
  const at = NETWORK + headerBytes;
  const ports = transport && frame.length >= at + 4 ? [frame.readUInt16BE(at), frame.readUInt16BE(at + 2)] : [];
  const addressAt = (offset: number): string => {
    const bytes = frame.subarray(NETWORK + offset, NETWORK + offset + (isV6 ? 16 : 4));
    return isV6 ? ipv6Text(bytes) : bytes.join('.');
  };
  const segment = frame.readUInt8(VNET_GSO_TYPE) === 0 ? 0 : frame.readUInt16LE(VNET_GSO_SIZE);
  const bytes = segment === 0 ? frame.length - NETWORK : headerBytes + 32 + segment;
  return { from: addressAt(isV6 ? 8 : 12), to: addressAt(isV6 ? 24 : 16), transport, ports, bytes };
}

/** Without leading zeros, the longest run of zeros written `::`, as the lab's table has its addresses. */
function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16));
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1);
}
