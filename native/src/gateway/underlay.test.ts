import { expect, it } from 'vitest';
import type { RouteRow } from './route-table.ts';
import { chooseUnderlay } from './underlay.ts';

const HOME = 2;
const TUNNEL = 9;
const route = (prefix: string, nextHop: string | undefined, interfaceIndex: number): RouteRow => {
  const [destination = '', length] = prefix.split('/');
  return { destination, prefixLength: Number(length), nextHop, interfaceIndex, metric: 0 };
};
const isTunnel = (index: number): boolean => index === TUNNEL;
const home = [{ ...route('0.0.0.0/0', '192.168.1.1', HOME), metric: 600 }, route('192.168.1.0/24', undefined, HOME)];
const halves = [route('0.0.0.0/1', '10.8.0.1', TUNNEL), route('128.0.0.0/1', '10.8.0.1', TUNNEL)];
const around = route('203.0.113.9/32', '192.168.1.1', HOME);
const beneath = { gateway: '192.168.1.1', interfaceIndex: HOME };

it.each<[string, RouteRow[], unknown]>([
  ['OpenVPN lays two halves over the default route', [...home, ...halves, around], { ...beneath, endpoint: '203.0.113.9' }],
  [
    'OpenVPN takes the default route away',
    [route('0.0.0.0/0', '10.8.0.1', TUNNEL), around],
    { ...beneath, endpoint: '203.0.113.9' },
  ],
  [
    'WireGuard keeps its own table and names no endpoint',
    [...home, route('0.0.0.0/0', undefined, TUNNEL)],
    { ...beneath, endpoint: undefined },
  ],
  [
    'several hosts are led around',
    [...home, ...halves, around, route('198.51.100.3/32', '192.168.1.1', HOME)],
    { ...beneath, endpoint: undefined },
  ],
  [
    'of two physical ways the preferred one',
    [...home, ...halves, { ...route('0.0.0.0/0', '10.0.0.1', 3), metric: 100 }],
    { gateway: '10.0.0.1', interfaceIndex: 3, endpoint: undefined },
  ],
  [
    'IPv6',
    [route('::/0', 'fe80::1', HOME), route('2001:db8::9/128', 'fe80::1', HOME)],
    { gateway: 'fe80::1', interfaceIndex: HOME, endpoint: '2001:db8::9' },
  ],
  [
    'multicast and link-local hosts are no endpoint',
    [...home, route('224.0.0.251/32', '192.168.1.1', HOME), route('169.254.169.254/32', '192.168.1.1', HOME)],
    { ...beneath, endpoint: undefined },
  ],
  ['nothing physical is left', halves, undefined],
  ['there are no routes', [], undefined],
])('%s', (_name, rows, expected) => expect(chooseUnderlay(rows, isTunnel)).toEqual(expected));
