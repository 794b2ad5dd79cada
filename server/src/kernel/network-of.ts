const GROUPS = 8;

/** The eight groups of an IPv6 address as numbers; an IPv4 address at its end is two of them. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const parse = (text: string): number[] =>
    text
      .split(':')
      .filter(Boolean)
      .flatMap((group) => {
        if (!group.includes('.')) return [Number.parseInt(group, 16)];
        const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
        return [a * 256 + b, c * 256 + d];
      });
  const [first, last] = [parse(head), parse(tail ?? '')];
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - first.length - last.length);
  return [...first, ...Array.from({ length: zeros }, () => 0), ...last];
}

/** The two groups that hold an IPv4 address: mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96), 6to4 (2002::/16), Teredo (2001::/32). */
function findIpv4(groups: readonly number[]): readonly [number, number] | undefined {
  const [a, b, c, d, e, f, g = 0, h = 0] = groups;
  const isMapped = a === 0 && b === 0 && f === 0xffff;
  const isNat64 = a === 0x64 && b === 0xff9b && f === 0;
  if ((isMapped || isNat64) && c === 0 && d === 0 && e === 0) return [g, h];
  if (a === 0x2002) return [b ?? 0, c ?? 0];
  // Teredo writes the client's address inverted.
  return a === 0x2001 && b === 0 ? [g ^ 0xffff, h ^ 0xffff] : undefined;
}

/**
 * Whose attempts are counted together: an IPv4 address, also where IPv6 carries it, or the /64 of an IPv6 one, of which whoever has one
 * address has all.
 */
export function networkOf(address: string): string {
  // As Node writes IPv4 on a listener for both.
  const text = address.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, '');
  if (!text.includes(':')) return text;
  const groups = groupsOf(text);
  const ipv4 = findIpv4(groups);
  if (ipv4) return ipv4.flatMap((pair) => [pair >> 8, pair & 0xff]).join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** What one site or one rented block is, of what `networkOf` gave: the /24 of an IPv4 address, the /48 of an IPv6 /64. */
export function siteOf(network: string): string {
  const separator = network.includes(':') ? ':' : '.';
  return network.split(separator, 3).join(separator);
}
