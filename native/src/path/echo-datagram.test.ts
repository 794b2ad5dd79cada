import { describe, expect, it } from 'vitest';
import { addressBytes } from '../ffi/address.ts';
import { seededBytes } from '../testing/recordings.ts';
import { type EchoContext, internetChecksum, parseEchoDatagram, writeEcho } from './echo-datagram.ts';
import { parseReceiveTime } from './receiver-darwin.ts';

const ipv4: EchoContext = { destination: '203.0.113.10', family: 4, identifier: 0xbeef, source: '192.168.7.20' };
const ipv6: EchoContext = { destination: '2001:db8:3::2', family: 6, identifier: 0xbeef };

/** Header and the usual payload. */
const ECHO_BYTES = 40;

const request = (context: EchoContext, index: number): Buffer => {
  const packet = Buffer.alloc(ECHO_BYTES, 0xaa);
  writeEcho(packet, index, context);
  return packet;
};

const header4 = (destination: string, { options = 0, protocol = 1 } = {}): Buffer => {
  const header = Buffer.alloc(20 + options);
  header.writeUInt8(0x40 | (5 + options / 4), 0);
  header.writeUInt8(protocol, 9);
  addressBytes(destination).copy(header, 16);
  return header;
};
const header6 = (destination: string): Buffer => {
  const header = Buffer.alloc(40);
  header.writeUInt8(0x60, 0);
  header.writeUInt8(58, 6);
  addressBytes(destination).copy(header, 24);
  return header;
};
const error = (type: number, quoted: Buffer[]): Buffer => Buffer.concat([Buffer.from([type, 0, 0, 0, 0, 0, 0, 0]), ...quoted]);
const reply = (context: EchoContext, index: number): Buffer => {
  const packet = request(context, index);
  packet.writeUInt8(context.family === 4 ? 0 : 129, 0);
  return packet;
};

describe('an echo request', () => {
  it('has a checksum that holds, the same for every number', () => {
    expect(internetChecksum(request(ipv4, 7))).toBe(0);
    expect(request(ipv4, 7).subarray(2, 4)).toEqual(request(ipv4, 4711).subarray(2, 4));
    expect(request(ipv6, 7).subarray(0, 8).toString('hex')).toBe('80000000beef0007');
  });
});

describe('a received datagram', () => {
  it('is the destination where its reply came, with the IP header in front or without', () => {
    const found = { index: 9, address: '203.0.113.10', kind: 'destination' };
    expect(parseEchoDatagram(Buffer.concat([header4('192.168.7.20'), reply(ipv4, 9)]), '203.0.113.10', ipv4)).toEqual(found);
    expect(
      parseEchoDatagram(Buffer.concat([header4('192.168.7.20', { options: 8 }), reply(ipv4, 9)]), '203.0.113.10', ipv4),
    ).toEqual(found);
    expect(parseEchoDatagram(reply(ipv4, 9), '203.0.113.10', ipv4)).toEqual(found);
    expect(parseEchoDatagram(reply(ipv6, 9), '2001:db8:3::2', ipv6)).toMatchObject({ index: 9, kind: 'destination' });
  });

  it('is a hop where time was exceeded, by the request that it quotes', () => {
    const quoted = [header4(ipv4.destination, { options: 4 }), request(ipv4, 3).subarray(0, 8)];
    const bytes = Buffer.concat([header4('192.168.7.20'), error(11, quoted)]);
    expect(parseEchoDatagram(bytes, '198.51.100.2', ipv4)).toEqual({ index: 3, address: '198.51.100.2', kind: 'exceeded' });
    const bytes6 = error(3, [header6(ipv6.destination), request(ipv6, 4)]);
    expect(parseEchoDatagram(bytes6, '2001:db8:1::1', ipv6)).toEqual({ index: 4, address: '2001:db8:1::1', kind: 'exceeded' });
  });

  it('is the end of the path where a router said so, and a refusal where this host did', () => {
    const bytes = error(3, [header4(ipv4.destination), request(ipv4, 5)]);
    expect(parseEchoDatagram(bytes, '198.51.100.2', ipv4)).toMatchObject({ kind: 'unreachable', address: '198.51.100.2' });
    expect(parseEchoDatagram(bytes, '192.168.7.20', ipv4)).toEqual({ index: 5, address: undefined, kind: 'refused' });
  });

  it.each([
    ['another process', error(11, [header4(ipv4.destination), request({ ...ipv4, identifier: 1 }, 3)])],
    ['another destination', error(11, [header4('203.0.113.11'), request(ipv4, 3)])],
    ['another protocol', error(11, [header4(ipv4.destination, { protocol: 17 }), request(ipv4, 3)])],
    ['an echo request of somebody else', request(ipv4, 3)],
    ['a reply to another process', reply({ ...ipv4, identifier: 2 }, 3)],
    ['nothing', Buffer.alloc(0)],
  ])('is none of ours where it answers %s', (_what, bytes) => {
    expect(parseEchoDatagram(bytes, '198.51.100.2', ipv4)).toBeUndefined();
  });

  it('may be cut or damaged anywhere', () => {
    const random = seededBytes(23);
    const messages = [
      {
        bytes: Buffer.concat([header4('192.168.7.20'), error(11, [header4(ipv4.destination), request(ipv4, 3)])]),
        context: ipv4,
      },
      { bytes: error(3, [header6(ipv6.destination), request(ipv6, 4)]), context: ipv6 },
    ];
    for (const { bytes, context } of messages) {
      for (let length = 0; length < bytes.length; length += 1) {
        expect(() => parseEchoDatagram(bytes.subarray(0, length), '198.51.100.2', context)).not.toThrow();
        const damaged = Buffer.from(bytes);
        const where = random(2);
        damaged[where.readUInt8(0) % damaged.length] = where.readUInt8(1);
        expect(() => parseEchoDatagram(damaged, '198.51.100.2', context)).not.toThrow();
      }
    }
  });
});

describe("macOS' receive time", () => {
  const stamp = Buffer.alloc(28);
  stamp.writeUInt32LE(28, 0);
  stamp.writeInt32LE(0xffff, 4);
  stamp.writeInt32LE(2, 8);
  stamp.writeBigInt64LE(1_700_000_000n, 12);
  stamp.writeInt32LE(123_456, 20);

  it('stands among the control messages', () => {
    const other = Buffer.from('0e000000ffff00000300000041420000', 'hex');
    expect(parseReceiveTime(stamp)).toBe(1_700_000_000_123.456);
    expect(parseReceiveTime(Buffer.concat([other, stamp]))).toBe(1_700_000_000_123.456);
  });

  it('is undefined where there is none or it is cut', () => {
    expect(parseReceiveTime(Buffer.alloc(0))).toBeUndefined();
    for (let length = 0; length < 28; length += 1) expect(parseReceiveTime(stamp.subarray(0, length))).toBeUndefined();
    expect(parseReceiveTime(Buffer.alloc(64))).toBeUndefined();
  });
});
