import { describe, expect, it } from 'vitest';
import { judgeFrame } from './frame.ts';

/** virtio-net header, Ethernet header, then the packet. */
const frame = (etherType: number, packet: Buffer): Buffer => {
  const head = Buffer.alloc(24);
  head.writeUInt16BE(etherType, 22);
  return Buffer.concat([head, packet]);
};
const ipv4 = (protocol: number, type: number, headerWords = 5): Buffer => {
  const packet = Buffer.alloc(headerWords * 4 + 8);
  packet.writeUInt8(0x40 | headerWords, 0);
  packet.writeUInt8(protocol, 9);
  packet.writeUInt8(type, headerWords * 4);
  return frame(0x0800, packet);
};
const ipv6 = (next: number, type: number): Buffer => {
  const packet = Buffer.alloc(48);
  packet.writeUInt8(next, 6);
  packet.writeUInt8(type, 40);
  return frame(0x86dd, packet);
};

describe('what a frame carries', () => {
  it.each([
    ['ARP', frame(0x0806, Buffer.alloc(28)), 'neighbour'],
    ['a neighbour solicitation', ipv6(58, 135), 'neighbour'],
    ['an echo', ipv4(1, 8), 'icmp'],
    ['an IPv6 echo', ipv6(58, 128), 'icmp'],
    ['time exceeded', ipv4(1, 11), 'icmp-error'],
    ['unreachable behind IP options', ipv4(1, 3, 7), 'icmp-error'],
    ['IPv6 time exceeded', ipv6(58, 3), 'icmp-error'],
    ['UDP', ipv4(17, 11), 'other'],
    ['IPv6 TCP', ipv6(6, 3), 'other'],
  ] as const)('%s', (_name, bytes, verdict) => {
    expect(judgeFrame(bytes)).toBe(verdict);
  });

  it('is judged without reading past a short frame', () => {
    for (const whole of [ipv4(1, 11, 15), ipv6(58, 3), frame(0x0806, Buffer.alloc(28))]) {
      for (let length = 0; length < whole.length; length += 1) expect(() => judgeFrame(whole.subarray(0, length))).not.toThrow();
    }
  });
});
