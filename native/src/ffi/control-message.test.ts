import { describe, expect, it } from 'vitest';
import { seededBytes } from '../testing/recordings.ts';
import { parseControlMessages } from './control-message.ts';
import { encodeSockaddr } from './sockaddr.ts';

function controlMessage(level: number, type: number, body: Buffer): Buffer {
  const out = Buffer.alloc((16 + body.length + 7) & ~7);
  out.writeBigUInt64LE(BigInt(16 + body.length), 0);
  out.writeInt32LE(level, 8);
  out.writeInt32LE(type, 12);
  body.copy(out, 16);
  return out;
}

function timespec(seconds: number, nanoseconds: number): Buffer {
  const out = Buffer.alloc(16);
  out.writeBigInt64LE(BigInt(seconds), 0);
  out.writeBigInt64LE(BigInt(nanoseconds), 8);
  return out;
}

const error = (type: number, code: number, offender: string): Buffer => {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(113, 0);
  head.writeUInt8(2, 4);
  head.writeUInt8(type, 5);
  head.writeUInt8(code, 6);
  return Buffer.concat([head, encodeSockaddr({ address: offender, port: 0 })]);
};

const both = Buffer.concat([
  controlMessage(1, 35, timespec(1_700_000_000, 250_000)),
  controlMessage(0, 11, error(11, 0, '192.0.2.1')),
]);

describe('control messages', () => {
  it('give the receive time and what a router said', () => {
    const parsed = parseControlMessages(both);
    expect(parsed.receivedAtMs).toBeCloseTo(1_700_000_000_000.25, 3);
    expect(parsed.error).toEqual({ errno: 113, origin: 2, type: 11, code: 0, offender: '192.0.2.1' });
  });

  it('take IPv6 errors too', () => {
    const parsed = parseControlMessages(controlMessage(41, 25, error(3, 0, '2001:db8::1')));
    expect(parsed.error?.offender).toBe('2001:db8::1');
    expect(parsed.receivedAtMs).toBeUndefined();
  });

  it('never read past what is cut short or malformed', () => {
    for (let length = 0; length < 32; length += 1) {
      expect(parseControlMessages(both.subarray(0, length))).toEqual({ receivedAtMs: undefined, error: undefined });
    }
    for (const wrong of [0n, 15n, 0xffff_ffff_ffff_ffffn]) {
      const bytes = Buffer.from(both);
      bytes.writeBigUInt64LE(wrong, 0);
      expect(parseControlMessages(bytes)).toEqual({ receivedAtMs: undefined, error: undefined });
    }
    expect(parseControlMessages(controlMessage(0, 11, Buffer.alloc(8))).error).toBeUndefined();
    const random = seededBytes(3);
    for (let i = 0; i < 2000; i += 1) expect(() => parseControlMessages(random(i % 120))).not.toThrow();
  });
});
