import { describe, expect, it } from 'vitest';
import { type Adapter, isTunnel } from '../ffi/adapter-addresses.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { encodeSockaddr, WIN32_SOCKADDR } from '../ffi/sockaddr.ts';
import { seededBytes } from '../testing/recordings.ts';
import { parseForwardRow } from './forward-row.ts';
import { chooseRow, type RouteRow } from './route-table.ts';
import { describeRoute } from './win32.ts';

const ROW = WIN32.structs.MIB_IPFORWARD_ROW2;

function row({ destination, prefixLength, nextHop, interfaceIndex, metric }: RouteRow): Buffer {
  const bytes = Buffer.alloc(ROW.sizeof);
  const any = destination.includes(':') ? '::' : '0.0.0.0';
  encodeSockaddr({ address: destination, port: 0 }, WIN32_SOCKADDR).copy(bytes, ROW.DestinationPrefix);
  encodeSockaddr({ address: nextHop ?? any, port: 0 }, WIN32_SOCKADDR).copy(bytes, ROW.NextHop);
  bytes.writeUInt8(prefixLength, ROW.PrefixLength);
  bytes.writeUInt32LE(interfaceIndex, ROW.InterfaceIndex);
  bytes.writeUInt32LE(metric, ROW.Metric);
  return bytes;
}

const route = (prefix: string, nextHop: string | undefined, metric = 0): RouteRow => {
  const [destination = '', length] = prefix.split('/');
  return { destination, prefixLength: Number(length), nextHop, interfaceIndex: 4, metric };
};

describe("a row of Windows' route table", () => {
  it.each([
    route('0.0.0.0/0', '192.168.1.1', 25),
    route('192.168.1.0/24', undefined),
    route('::/0', 'fe80::1'),
    route('2001:db8::/32', undefined),
  ])('is read: $destination/$prefixLength', (expected) => {
    expect(parseForwardRow(row(expected))).toEqual(expected);
  });

  it('is undefined where it is cut short or of no family', () => {
    expect(parseForwardRow(Buffer.alloc(ROW.sizeof))).toBeUndefined();
    expect(parseForwardRow(row(route('0.0.0.0/0', '192.168.1.1')).subarray(0, 103))).toBeUndefined();
    const random = seededBytes(3);
    for (let i = 0; i < 500; i += 1) expect(() => parseForwardRow(random(ROW.sizeof))).not.toThrow();
  });
});

describe('the choice of a row', () => {
  const rows = [
    route('0.0.0.0/0', '192.168.1.1', 50),
    route('0.0.0.0/0', '192.168.2.1', 25),
    route('10.0.0.0/8', '192.168.1.254'),
    route('10.1.0.0/17', '192.168.1.253'),
    route('2001:db8::/33', 'fe80::1'),
  ];
  it.each([
    ['198.51.100.1', '192.168.2.1'],
    ['10.2.0.1', '192.168.1.254'],
    ['10.1.127.255', '192.168.1.253'],
    ['10.1.128.0', '192.168.1.254'],
    ['2001:db8:7fff::1', 'fe80::1'],
    ['2001:db8:8000::1', undefined],
  ])('takes the longest prefix and then the lowest metric for %s', (address, nextHop) => {
    expect(chooseRow(rows, address)?.nextHop).toBe(nextHop);
  });
});

describe('a route described', () => {
  const adapter = (type: number, description: string): Adapter => ({
    index: 4,
    index6: 4,
    guid: '{}',
    name: 'Ethernet',
    description,
    dnsSuffix: '',
    type,
    up: true,
    metric: 25,
    dnsServers: [],
  });
  const best = { row: route('0.0.0.0/0', 'fe80::1%4'), source: '192.168.1.7' };

  it('has gateway, source and interface', () => {
    expect(describeRoute(best, 6, [adapter(6, 'Intel(R) Ethernet')])).toEqual({
      value: {
        family: 6,
        gateway: { value: 'fe80::1' },
        interfaceName: 'Ethernet',
        interfaceIndex: 4,
        source: { value: '192.168.1.7' },
        tunnel: false,
      },
    });
  });

  it.each([
    [131, 'Teredo'],
    [53, 'WireGuard Tunnel'],
    [23, 'WAN Miniport (L2TP)'],
    [6, 'TAP-Windows Adapter V9'],
    [6, 'Cisco AnyConnect Virtual Miniport Adapter for Windows x64'],
  ])('labels a tunnel of type %d: %s', (type, description) => {
    expect(isTunnel({ type, description })).toBe(true);
    expect(describeRoute(best, 4, [adapter(type, description)])).toMatchObject({
      value: { tunnel: true, gateway: { unavailable: 'tunnel' } },
    });
  });

  it.each([
    [6, 'Realtek PCIe GbE Family Controller'],
    [71, 'Intel(R) Wi-Fi 6 AX201'],
    [6, 'Hyper-V Virtual Ethernet Adapter'],
  ])('takes type %d, %s, for no tunnel', (type, description) => expect(isTunnel({ type, description })).toBe(false));

  it('is not supported where no adapter has its index', () => {
    expect(describeRoute(best, 4, [])).toEqual({ unavailable: 'not_supported' });
  });
});
