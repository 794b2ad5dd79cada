import { expect, it } from 'vitest';
import { addressLines, HOPS, interfaceOf, LINKS, NODES } from './topology.ts';

it('gives every node its ends and its routes', () => {
  expect(addressLines(0)).toEqual([
    'link set lo up',
    'link set eth0 up',
    'addr add 192.168.77.2/24 dev eth0',
    'addr add fd77:0:0:1::2/64 dev eth0 nodad',
    'route add default via 192.168.77.1',
    'route add default via fd77:0:0:1::1',
  ]);
  expect(addressLines(2).filter((line) => line.startsWith('route'))).toEqual([
    'route add default via 203.0.113.2',
    'route add default via 2001:db8:2::2',
    'route add 192.168.77.0/24 via 198.51.100.1',
    'route add fd77:0:0:1::/64 via 2001:db8:1::1',
  ]);
  expect(addressLines(4).filter((line) => line.startsWith('route'))).toEqual([
    'route add default via 203.0.113.9',
    'route add default via 2001:db8:3::1',
  ]);
});

it('is private inside and public outside', () => {
  expect(HOPS.v4).toEqual(['192.168.77.1', '198.51.100.2', '203.0.113.2', '203.0.113.10']);
  expect(HOPS.v6.slice(1).every((address) => address.startsWith('2001:db8:'))).toBe(true);
});

it('names interfaces within the fifteen bytes of the kernel, and never like a word of ip', () => {
  const names = LINKS.flatMap((_, link) => [interfaceOf(link, link), interfaceOf(link + 1, link)]);
  for (const name of names) {
    expect(name.length).toBeLessThanOrEqual(15);
    expect(['up', 'down', 'dev']).not.toContain(name);
  }
  expect(NODES).toHaveLength(LINKS.length + 1);
});
