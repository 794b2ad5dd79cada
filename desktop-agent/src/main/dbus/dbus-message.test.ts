import { describe, expect, it } from 'vitest';
import { createMessageReader, encodeGetProperty, encodeHello, type Message } from './dbus-message.ts';
import { busPath } from './status-notifier.ts';

const u32 = (value: number): number[] => [value & 255, (value >> 8) & 255, 0, 0];

/** As the bus answers: header, the field "reply serial", the signature `v`, a variant that holds a boolean. */
const flagReply = (serial: number, flag: boolean): Buffer =>
  Buffer.from([
    ...[0x6c, 2, 1, 1],
    ...u32(8),
    ...u32(1),
    ...u32(15),
    ...[5, 1, 0x75, 0],
    ...u32(serial),
    ...[8, 1, 0x67, 0, 1, 0x76, 0, 0],
    ...[1, 0x62, 0, 0],
    ...u32(flag ? 1 : 0),
  ]);

const read = (...chunks: Buffer[]): Message[] => {
  const messages: Message[] = [];
  const take = createMessageReader((message) => messages.push(message));
  for (const chunk of chunks) take(chunk);
  return messages;
};

describe('messages of D-Bus', () => {
  it('are written as the specification has them', () => {
    const hello = encodeHello(1);
    expect(hello.length % 8).toBe(0);
    expect(hello.subarray(0, 16)).toEqual(Buffer.from([0x6c, 1, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0x6d, 0, 0, 0]));
    const get = encodeGetProperty(3, 'org.kde.StatusNotifierWatcher', 'IsStatusNotifierHostRegistered');
    expect(get.readUInt32LE(4)).toBe(4 + 29 + 1 + 2 + 4 + 30 + 1);
    expect(get.includes('/StatusNotifierWatcher\0')).toBe(true);
    expect(get.subarray(-31).toString()).toBe('IsStatusNotifierHostRegistered\0');
  });

  it('are read whole, however the stream cuts them', () => {
    const bytes = Buffer.concat([flagReply(3, true), flagReply(4, false)]);
    const whole = read(bytes);
    expect(whole).toEqual([
      { kind: 'return', replyTo: 3, member: undefined, flag: true },
      { kind: 'return', replyTo: 4, member: undefined, flag: false },
    ]);
    expect(read(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
  });

  it('end the reading where they are no messages', () => {
    expect(read(Buffer.from('B'.repeat(64)), flagReply(3, true))).toEqual([]);
    const huge = flagReply(3, true);
    huge.writeUInt32LE(0x7fffffff, 4);
    expect(read(huge, flagReply(3, true))).toEqual([]);
    const cut = flagReply(3, true);
    cut.writeUInt32LE(14, 12);
    expect(() => read(cut, flagReply(3, true))).not.toThrow();
  });

  it('go to the bus that the session names', () => {
    expect(busPath('unix:path=/run/user/1000/bus,guid=ab', undefined)).toBe('/run/user/1000/bus');
    expect(busPath('unix:guid=ab,path=/tmp/a%20b', undefined)).toBe('/tmp/a b');
    expect(busPath('unix:abstract=/tmp/dbus-x', '/run/user/1')).toBeUndefined();
    expect(busPath(undefined, '/run/user/1000')).toBe('/run/user/1000/bus');
    expect(busPath(undefined, undefined)).toBeUndefined();
  });
});
