import { BlockList, isIP } from 'node:net';

const privateRanges = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const)
  privateRanges.addSubnet(net, bits, 'ipv4');
privateRanges.addSubnet('fc00::', 7, 'ipv6');
privateRanges.addSubnet('fe80::', 10, 'ipv6');

/** RFC 1918, ULA and link-local. 100.64/10 is the carrier's and therefore not private (docs/contract/results.md). False for what is no address. */
export function isPrivateAddress(address: string): boolean {
  const bare = address.split('%')[0] ?? '';
  const family = isIP(bare);
  return family !== 0 && privateRanges.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}
