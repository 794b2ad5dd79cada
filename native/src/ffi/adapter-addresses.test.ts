import { describe, expect, it } from 'vitest';
import { resolversOf } from '../resolvers/win32.ts';
import { seededBytes } from '../testing/recordings.ts';
import { parseAdapters } from './adapter-addresses.ts';
import { WIN32 } from './layout/win32.ts';
import { encodeSockaddr, WIN32_SOCKADDR } from './sockaddr.ts';

const AT = WIN32.structs.IP_ADAPTER_ADDRESSES;
const DNS = WIN32.structs.IP_ADAPTER_DNS_SERVER_ADDRESS;
const BASE = 0x7f0000001000n;

interface Written {
  name: string;
  description: string;
  dnsSuffix: string;
  type: number;
  up: boolean;
  metric: number;
  servers: readonly { address: string; scope?: number }[];
}

/** A block as GetAdaptersAddresses fills it: structs first come, pointers are addresses. */
function block(adapters: readonly Written[]): Buffer {
  const bytes = Buffer.alloc(8192);
  let end = 0;
  const reserve = (length: number): number => {
    const at = end;
    end += (length + 7) & ~7;
    return at;
  };
  const point = (at: number, to: number): void => void bytes.writeBigUInt64LE(BASE + BigInt(to), at);
  const text = (at: number, value: string, encoding: 'latin1' | 'utf16le'): void => {
    const start = reserve(2 * value.length + 2);
    bytes.write(value, start, encoding);
    point(at, start);
  };
  let previous: number | undefined;
  for (const [i, adapter] of adapters.entries()) {
    const at = reserve(400);
    if (previous !== undefined) point(previous + AT.Next, at);
    previous = at;
    bytes.writeUInt32LE(i + 1, at + AT.IfIndex);
    bytes.writeUInt32LE(i + 21, at + AT.Ipv6IfIndex);
    bytes.writeUInt32LE(adapter.type, at + AT.IfType);
    bytes.writeUInt32LE(adapter.up ? 1 : 2, at + AT.OperStatus);
    bytes.writeUInt32LE(adapter.metric, at + AT.Ipv4Metric);
    // The hardware address: what shows it is wrong.
    bytes.fill(0xee, at + 80, at + 88);
    text(at + AT.AdapterName, `{GUID-${i}}`, 'latin1');
    text(at + AT.FriendlyName, adapter.name, 'utf16le');
    text(at + AT.Description, adapter.description, 'utf16le');
    text(at + AT.DnsSuffix, adapter.dnsSuffix, 'utf16le');
    let link = at + AT.FirstDnsServerAddress;
    for (const server of adapter.servers) {
      const entry = reserve(32);
      point(link, entry);
      link = entry + DNS.Next;
      const address = encodeSockaddr({ ...server, port: 0 }, WIN32_SOCKADDR);
      const start = reserve(address.length);
      address.copy(bytes, start);
      point(entry + DNS.lpSockaddr, start);
      bytes.writeUInt32LE(address.length, entry + DNS.iSockaddrLength);
    }
  }
  return bytes.subarray(0, end);
}

const laptop: Written[] = [
  {
    name: 'Loopback',
    description: 'Software Loopback',
    dnsSuffix: '',
    type: 24,
    up: true,
    metric: 75,
    servers: [{ address: 'fec0:0:0:ffff::1' }],
  },
  {
    name: 'Ethernet',
    description: 'Realtek PCIe GbE',
    dnsSuffix: '',
    type: 6,
    up: false,
    metric: 5,
    servers: [{ address: '10.9.9.9' }],
  },
  {
    name: 'WLAN',
    description: 'Intel(R) Wi-Fi 6',
    dnsSuffix: 'Fritz.Box',
    type: 71,
    up: true,
    metric: 50,
    servers: [{ address: '192.168.1.1' }, { address: 'fe80::1', scope: 13 }, { address: 'fec0:0:0:ffff::1' }],
  },
  {
    name: 'Büro',
    description: 'WireGuard Tunnel',
    dnsSuffix: 'corp.test',
    type: 53,
    up: true,
    metric: 5,
    servers: [{ address: '10.8.0.1' }, { address: '192.168.1.1' }],
  },
];

describe('the list of adapters', () => {
  it('is read by its pointers', () => {
    const found = parseAdapters(block(laptop), BASE);
    expect(
      found.map(({ name, description, dnsSuffix, type, up, metric }) => ({ name, description, dnsSuffix, type, up, metric })),
    ).toEqual(laptop.map(({ servers: _servers, ...rest }) => rest));
    expect(found[2]).toMatchObject({
      index: 3,
      index6: 23,
      guid: '{guid-2}',
      dnsServers: ['192.168.1.1', 'fe80::1%13', 'fec0:0:0:ffff::1'],
    });
    expect(JSON.stringify(found)).not.toMatch(/ee.?ee/i);
  });

  it('gives the resolvers of what is up, the preferred adapter first', () => {
    const found = parseAdapters(block(laptop), BASE);
    expect(resolversOf(found)).toEqual({
      value: { servers: ['10.8.0.1', '192.168.1.1', 'fe80::1%13'], source: 'GetAdaptersAddresses' },
    });
    expect(resolversOf(found.slice(0, 2))).toEqual({ unavailable: 'no_target' });
  });

  it('ends where a pointer leads elsewhere, in a circle or to what is cut short', () => {
    const good = block(laptop);
    const loop = Buffer.from(good);
    loop.writeBigUInt64LE(BASE + 400n, 400 + AT.Next);
    expect(parseAdapters(loop, BASE).length).toBeLessThanOrEqual(128);
    const random = seededBytes(17);
    for (let i = 0; i < 300; i += 1) {
      const damaged = Buffer.from(good);
      const where = random(8);
      for (let k = 0; k < 4; k += 1) damaged[(where.readUInt8(k) * 257 + 13 * i) % damaged.length] = where.readUInt8(k + 4);
      expect(() => parseAdapters(damaged, BASE)).not.toThrow();
      expect(() => parseAdapters(good.subarray(0, 8 * i), BASE)).not.toThrow();
    }
  });
});
