import { describe, expect, it } from 'vitest';
import { type LinkSettings, PERFECT_LINK } from './link-settings.ts';
import { createLinkWay } from './link-way.ts';

/** A UDP packet from 192.0.2.1 to 192.0.2.2, port 5000 to `port`, behind its virtio-net and Ethernet headers. */
function udp({ bytes = 100, port = 53 } = {}): Buffer {
  const frame = Buffer.alloc(24 + bytes);
  frame.writeUInt16BE(0x0800, 22);
  frame.writeUInt8(0x45, 24);
  frame.writeUInt8(17, 24 + 9);
  frame.set([192, 0, 2, 1], 24 + 12);
  frame.set([192, 0, 2, 2], 24 + 16);
  frame.writeUInt16BE(5000, 44);
  frame.writeUInt16BE(port, 46);
  return frame;
}
const way = (settings: LinkSettings, { outward = true, random = (): number => 0.5 } = {}) =>
  createLinkWay({ settings: { ...PERFECT_LINK, ...settings }, outward, random });

describe('one direction of a link', () => {
  it('carries at once what nothing is set for', () => {
    expect(way({}).carry(udp(), 0)).toBe(0);
  });

  it('loses each way by that way’s own ratio', () => {
    expect(way({ lossRatio: 1 }).carry(udp(), 0)).toBeUndefined();
    expect(way({ lossRatio: 1 }, { outward: false }).carry(udp(), 0)).toBe(0);
    expect(way({ lossBackRatio: 1 }, { outward: false }).carry(udp(), 0)).toBeUndefined();
  });

  it('delays by the queue in front of a frame, and loses what does not fit into it', () => {
    const slow = way({ rateKbps: 80, queueBytes: 300 });
    const bytes = udp().length;
    expect(slow.carry(udp(), 0)).toBe(bytes / 10);
    expect(slow.carry(udp(), 0)).toBe((2 * bytes) / 10);
    expect(slow.carry(udp(), 0)).toBeUndefined();
    expect(slow.carry(udp(), 1000)).toBeCloseTo(bytes / 10);
  });

  it('loses in bursts: once bad, it stays bad for a while', () => {
    const chances = [0.9, 0.1, 0.3, 0.9, 0.9];
    const bursty = way({ bursts: { enter: 0.2, leave: 0.5 } }, { random: () => chances.shift() ?? 0 });
    expect(Array.from({ length: 5 }, () => bursty.carry(udp(), 0) === undefined)).toEqual([false, true, true, false, false]);
  });

  it('swallows packets above its MTU, and of a large segment looks at one piece', () => {
    expect(way({ mtu: 1300 }).carry(udp({ bytes: 1301 }), 0)).toBeUndefined();
    expect(way({ mtu: 1300 }).carry(udp({ bytes: 1300 }), 0)).toBe(0);
    const large = udp({ bytes: 9000 });
    large.writeUInt8(1, 1);
    large.writeUInt16LE(1200, 4);
    expect(way({ mtu: 1300 }).carry(large, 0)).toBe(0);
  });

  it('applies a rule to those alone that fit it', () => {
    const ruled = way({ rules: [{ kind: 'udp', port: 53, to: '192.0.2.2', delayMs: 20 }] });
    expect(ruled.carry(udp(), 0)).toBe(20);
    expect(ruled.carry(udp({ port: 54 }), 0)).toBe(0);
  });
});
