/**
 * client - r1 (gateway) - r2 (ISP edge) - r3 - server. The first link is private; the outer ones use the documentation ranges,
 * which play the public Internet here.
 */
export const NODES = ['client', 'r1', 'r2', 'r3', 'server'] as const;
export type NodeName = (typeof NODES)[number];

export const SERVER_NAME = 'app.lab.test';
/** Names of the lab's one server, each with settings of its own. */
export const SERVER_NAMES = [SERVER_NAME, 'crm.lab.test', 'mail.lab.test'] as const;

/** Link i joins node i and node i + 1. */
export const LINKS = [
  { v4: ['192.168.77.2', '192.168.77.1'], v4Prefix: 24, v6: ['fd77:0:0:1::2', 'fd77:0:0:1::1'] },
  { v4: ['198.51.100.1', '198.51.100.2'], v4Prefix: 30, v6: ['2001:db8:1::1', '2001:db8:1::2'] },
  { v4: ['203.0.113.1', '203.0.113.2'], v4Prefix: 30, v6: ['2001:db8:2::1', '2001:db8:2::2'] },
  { v4: ['203.0.113.9', '203.0.113.10'], v4Prefix: 30, v6: ['2001:db8:3::1', '2001:db8:3::2'] },
] as const;

/** Who answers at each distance from the client, and the server at the end. */
export const HOPS = { v4: LINKS.map((link) => link.v4[1]), v6: LINKS.map((link) => link.v6[1]) } as const;
export const SERVER = { v4: LINKS[3].v4[1], v6: LINKS[3].v6[1] } as const;

const side = (node: number, link: number): string => (node === link ? 'outer' : 'inner');
/** Interface of a node on a link; the client's has an ordinary name. */
export const interfaceOf = (node: number, link: number): string => (node === 0 ? 'eth0' : side(node, link));

/** `ip -batch` lines that address one node's ends and its routes: away from the client by default, back link by link. */
export function addressLines(node: number): string[] {
  const lines = ['link set lo up'];
  for (const link of [node - 1, node]) {
    const ends = LINKS[link];
    if (!ends) continue;
    const end = node === link ? 0 : 1;
    const name = interfaceOf(node, link);
    lines.push(
      `link set ${name} up`,
      `addr add ${ends.v4[end]}/${ends.v4Prefix} dev ${name}`,
      `addr add ${ends.v6[end]}/64 dev ${name} nodad`,
    );
  }
  return [...lines, ...routeLines(node)];
}

function routeLines(node: number): string[] {
  const onward = LINKS[node];
  const back = LINKS[node - 1];
  if (!onward) return back ? [`route add default via ${back.v4[0]}`, `route add default via ${back.v6[0]}`] : [];
  const lines = [`route add default via ${onward.v4[1]}`, `route add default via ${onward.v6[1]}`];
  if (!back) return lines;
  for (const nearer of LINKS.slice(0, node - 1)) {
    lines.push(`route add ${network(nearer.v4[0], nearer.v4Prefix)} via ${back.v4[0]}`);
    lines.push(`route add ${nearer.v6[0].replace(/::.*$/, '::')}/64 via ${back.v6[0]}`);
  }
  return lines;
}

/** All our networks end within the last byte. */
function network(address: string, prefix: number): string {
  const [a, b, c, d] = address.split('.').map(Number);
  return `${a}.${b}.${c}.${(d ?? 0) & (0xff << (32 - prefix)) & 0xff}/${prefix}`;
}
