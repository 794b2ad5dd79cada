import { expect, it } from 'vitest';
import { DARWIN } from '../ffi/layout/darwin.ts';
import { DARWIN_SOCKADDR, encodeSockaddr } from '../ffi/sockaddr.ts';
import { seededBytes } from '../testing/recordings.ts';
import { chooseRoute, isTunnelName } from './darwin.ts';
import { parseRouteMessages } from './route-messages.ts';

const HEADER = DARWIN.structs.rt_msghdr;

function message(flags: number, addresses: readonly (Buffer | undefined)[], index = 4): Buffer {
  const present = addresses.flatMap((address, kind) => (address ? [1 << kind] : [])).reduce((all, one) => all | one, 0);
  const padded = addresses.flatMap((address) => (address ? [address, Buffer.alloc((4 - (address.length & 3)) & 3)] : []));
  const bytes = Buffer.concat([Buffer.alloc(HEADER.sizeof), ...padded]);
  bytes.writeUInt16LE(bytes.length, HEADER.rtm_msglen);
  bytes.writeUInt8(5, HEADER.rtm_version);
  bytes.writeUInt16LE(index, HEADER.rtm_index);
  bytes.writeUInt32LE(flags, HEADER.rtm_flags);
  bytes.writeUInt32LE(present, HEADER.rtm_addrs);
  return bytes;
}

const at = (address: string): Buffer => encodeSockaddr({ address, port: 0 }, DARWIN_SOCKADDR);
const noMask = Buffer.alloc(4);
const plain = message(0x803, [at('0.0.0.0'), at('192.168.1.1'), noMask]);

it('reads one route after another', () => {
  const eight = message(0x803, [at('10.0.0.0'), at('10.8.0.1'), Buffer.from([5, 0, 0, 0, 255])], 12);
  const twenty = message(0x803, [at('172.16.16.0'), at('10.8.0.2'), Buffer.from([7, 0, 0, 0, 255, 255, 240])]);
  const host6 = message(0x7, [at('2001:db8::7'), at('fe80:4::1')]);
  const found = parseRouteMessages(Buffer.concat([plain, eight, twenty, host6]));
  expect(
    found.map(({ destination, prefixLength, nextHop, interfaceIndex }) => [
      `${destination}/${prefixLength}`,
      nextHop,
      interfaceIndex,
    ]),
  ).toEqual([
    ['0.0.0.0/0', '192.168.1.1', 4],
    ['10.0.0.0/8', '10.8.0.1', 12],
    ['172.16.16.0/20', '10.8.0.2', 4],
    ['2001:db8::7/128', 'fe80::1', 4],
  ]);
});

it('leaves out what is down, refused, of another version or without a destination', () => {
  const other = Buffer.from(plain);
  other.writeUInt8(4, HEADER.rtm_version);
  const out = [
    message(0x802, [at('0.0.0.0'), at('192.168.1.1'), noMask]),
    message(0x80b, [at('0.0.0.0'), at('192.168.1.1'), noMask]),
    message(0x1803, [at('0.0.0.0'), at('192.168.1.1'), noMask]),
    message(0x803, []),
    other,
  ];
  expect(parseRouteMessages(Buffer.concat(out))).toEqual([]);
});

it('prefers a scoped route only where no other leads there', () => {
  const scoped = message(0x1000803, [at('0.0.0.0'), at('10.0.0.1'), noMask], 9);
  const routes = parseRouteMessages(Buffer.concat([scoped, plain]));
  expect(chooseRoute(routes, '198.51.100.1')?.nextHop).toBe('192.168.1.1');
  expect(chooseRoute(routes.slice(0, 1), '198.51.100.1')?.nextHop).toBe('10.0.0.1');
  expect(chooseRoute(routes, '2001:db8::1')).toBeUndefined();
});

it('stops at what is cut short and takes any bytes', () => {
  expect(parseRouteMessages(Buffer.concat([plain, plain.subarray(0, 100)]))).toHaveLength(1);
  const random = seededBytes(31);
  for (let i = 0; i < 2000; i += 1) {
    const damaged = Buffer.concat([plain, plain]);
    const where = random(2);
    damaged[(where.readUInt8(0) * 3 + i) % damaged.length] = where.readUInt8(1);
    expect(() => parseRouteMessages(damaged)).not.toThrow();
  }
});

it.each([
  ['utun3', true],
  ['ipsec0', true],
  ['ppp0', true],
  ['en0', false],
  ['bridge100', false],
  ['awdl0', false],
])('%s is a tunnel: %s', (name, tunnel) => expect(isTunnelName(name)).toBe(tunnel));
