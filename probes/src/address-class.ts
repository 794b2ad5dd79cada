import net from 'node:net';

/** `carrier` is 100.64/10, the carrier's NAT: never a gateway of one's own (docs/contract/verdicts.md). */
export type AddressClass = 'private' | 'carrier' | 'public';

const list = (...subnets: [string, number][]): net.BlockList => {
  const blocks = new net.BlockList();
  for (const [address, prefix] of subnets) blocks.addSubnet(address, prefix, net.isIPv6(address) ? 'ipv6' : 'ipv4');
  return blocks;
};

const PRIVATE = list(
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['127.0.0.0', 8],
  ['fc00::', 7],
  ['fe80::', 10],
  ['::1', 128],
);
const CARRIER = list(['100.64.0.0', 10]);

/** Private is RFC 1918, ULA, link-local and loopback. Takes a numeric address, with or without zone. */
export function classifyAddress(address: string): AddressClass {
  const bare = (address.split('%')[0] ?? '').replace(/^::ffff:(?=\d+\.)/i, '');
  const family = net.isIPv6(bare) ? 'ipv6' : 'ipv4';
  if (PRIVATE.check(bare, family)) return 'private';
  return CARRIER.check(bare, family) ? 'carrier' : 'public';
}

/** Both IPv6 addresses lie in one /64: the other one is a neighbour on this link. */
export function sharesLink(one: string, other: string): boolean {
  if (!net.isIPv6(one) || !net.isIPv6(other)) return false;
  return list([one.split('%')[0] ?? one, 64]).check(other.split('%')[0] ?? other, 'ipv6');
}
