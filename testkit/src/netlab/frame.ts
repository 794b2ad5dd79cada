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
