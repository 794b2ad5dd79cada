import { expect, it } from 'vitest';
import { addressBytes } from '../ffi/address.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { seededBytes } from '../testing/recordings.ts';
import { parseEchoReply } from './echo-reply.ts';

const { ICMP_ECHO_REPLY: V4, ICMPV6_ECHO_REPLY: V6 } = WIN32.structs;
const ipv4 = { destination: '203.0.113.10', family: 4, source: '192.0.2.7' } as const;
const ipv6 = { destination: '2001:db8:3::2', family: 6 } as const;

function reply(from: string, status: number, rttMs = 12): Buffer {
  const bytes = Buffer.alloc(200);
  const address = addressBytes(from);
  const at = address.length === 4 ? V4 : V6;
  address.copy(bytes, address.length === 4 ? V4.Address : V6.sin6_addr);
  bytes.writeUInt32LE(status, at.Status);
  bytes.writeUInt32LE(rttMs, at.RoundTripTime);
  return bytes;
}

it.each([
  ['198.51.100.2', 11013, 'exceeded'],
  ['203.0.113.10', 0, 'destination'],
  ['198.51.100.2', 11003, 'unreachable'],
  ['203.0.113.10', 11005, 'destination'],
  ['198.51.100.2', 11005, 'unreachable'],
])('reads the answer of %s with status %d as %s', (address, status, kind) => {
  expect(parseEchoReply(reply(address, status), ipv4)).toEqual({ address, kind, rttMs: 12 });
});

it('reads IPv6', () => {
  expect(parseEchoReply(reply('2001:db8:1::1', 11013), ipv6)).toEqual({ address: '2001:db8:1::1', kind: 'exceeded', rttMs: 12 });
  expect(parseEchoReply(reply('2001:db8:3::2', 0), ipv6)?.kind).toBe('destination');
});

it('knows what this host says to itself', () => {
  expect(parseEchoReply(reply('192.0.2.7', 11003), ipv4)).toEqual({ address: undefined, kind: 'refused', rttMs: 12 });
});

it('has nothing where nobody answered', () => {
  for (const status of [11010, 11050, 1, 0xffffffff]) expect(parseEchoReply(reply('0.0.0.0', status), ipv4)).toBeUndefined();
});

it('takes any bytes', () => {
  const random = seededBytes(11);
  for (let length = 0; length < 60; length += 1) {
    for (const context of [ipv4, ipv6]) expect(() => parseEchoReply(random(length), context)).not.toThrow();
  }
});
