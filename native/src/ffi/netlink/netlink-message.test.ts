import { describe, expect, it } from 'vitest';
import { seededBytes } from '../../testing/recordings.ts';
import {
  decodeAttributes,
  decodeReplies,
  encodeAttribute,
  encodeRequest,
  encodeU32,
  i32,
  text,
  u8,
  u16,
  u32,
} from './netlink-message.ts';

const message = (header: { type: number; sequence: number }, payload: Buffer): Buffer => {
  const bytes = encodeRequest({ ...header, dump: false }, payload);
  return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
};

describe('attributes', () => {
  it('read back what was written, padding left out', () => {
    const bytes = Buffer.concat([encodeAttribute(4, Buffer.from('wlan0\0')), encodeAttribute(3, encodeU32(7))]);
    const a = decodeAttributes(bytes);
    expect(text(a, 4)).toBe('wlan0');
    expect(u32(a, 3)).toBe(7);
  });

  it('ignore the nested and byte-order flags of the type', () => {
    expect(u32(decodeAttributes(encodeAttribute(0x8000 | 9, encodeU32(1))), 9)).toBe(1);
  });

  it('leave out one that is cut short, at every length', () => {
    const bytes = Buffer.concat([encodeAttribute(1, encodeU32(1)), encodeAttribute(2, encodeU32(2))]);
    for (let length = 0; length < bytes.length; length += 1) {
      const a = decodeAttributes(bytes.subarray(0, length));
      expect(a.has(2)).toBe(false);
      expect(a.has(1)).toBe(length >= 8);
    }
  });

  it.each([0, 1, 3, 0xffff])('stop at the impossible length %i', (length) => {
    const bytes = Buffer.concat([encodeAttribute(1, encodeU32(1)), encodeAttribute(2, encodeU32(2))]);
    bytes.writeUInt16LE(length, 8);
    expect([...decodeAttributes(bytes).keys()]).toEqual([1]);
  });

  it('have no number where the value is too short for it', () => {
    const a = decodeAttributes(encodeAttribute(1, Buffer.from([5])));
    expect([u8(a, 1), u16(a, 1), u32(a, 1), i32(a, 1)]).toEqual([5, undefined, undefined, undefined]);
    expect(u8(decodeAttributes(encodeAttribute(1, Buffer.alloc(0))), 1)).toBeUndefined();
  });
});

describe('replies', () => {
  const done = message({ type: 3, sequence: 2 }, encodeU32(0));
  const errno = (value: number): Buffer => {
    const payload = Buffer.alloc(20);
    payload.writeInt32LE(-value, 0);
    return message({ type: 2, sequence: 2 }, payload);
  };

  it('give the payloads of one request until it is done', () => {
    const datagram = Buffer.concat([
      message({ type: 26, sequence: 2 }, Buffer.from('abc')),
      message({ type: 26, sequence: 2 }, Buffer.from('defg')),
      done,
    ]);
    const replies = decodeReplies(datagram, 2);
    expect(replies.payloads.map(String)).toEqual(['abc', 'defg']);
    expect(replies).toMatchObject({ done: true, errno: 0 });
  });

  it('pass over messages of another request', () => {
    expect(decodeReplies(message({ type: 26, sequence: 1 }, Buffer.from('abcd')), 2)).toEqual({
      payloads: [],
      done: false,
      errno: 0,
    });
  });

  it("tell the kernel's error, and an acknowledgement as none", () => {
    expect(decodeReplies(errno(13), 2)).toMatchObject({ done: true, errno: 13 });
    expect(decodeReplies(errno(0), 2)).toMatchObject({ done: true, errno: 0 });
  });

  it('never read past a datagram that is cut short or malformed', () => {
    const whole = Buffer.concat([message({ type: 26, sequence: 2 }, Buffer.from('abcd')), done]);
    for (let length = 0; length < 20; length += 1) expect(decodeReplies(whole.subarray(0, length), 2).payloads).toEqual([]);
    for (const wrong of [0, 15, 0xffff_ffff]) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt32LE(wrong, 0);
      expect(decodeReplies(bytes, 2)).toEqual({ payloads: [], done: false, errno: 0 });
    }
    const random = seededBytes(7);
    for (let i = 0; i < 2000; i += 1) {
      const bytes = random(i % 90);
      expect(() => decodeReplies(bytes, bytes.length >= 12 ? bytes.readUInt32LE(8) : 0)).not.toThrow();
      expect(() => decodeAttributes(bytes)).not.toThrow();
    }
  });
});
