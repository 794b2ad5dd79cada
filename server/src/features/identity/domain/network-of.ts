/** Whose attempts are counted together: an IPv4 address, or the /64 of an IPv6 one, of which whoever has one address has all. */
export function networkOf(address: string): string {
  const text = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!text.includes(':')) return text;
  const [head = '', tail] = text.split('%', 1)[0]?.split('::') ?? [];
  const groups = head.split(':').filter(Boolean);
  const last = (tail ?? '').split(':').filter(Boolean);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - last.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...last];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
