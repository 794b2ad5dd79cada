import { describe, expect, it } from 'vitest';
import { bytesOf, readRouteRecording, seededBytes } from '../testing/recordings.ts';
import { encodeRouteRequest, parseLink, parseRoute } from './rtnetlink.ts';

const recorded = readRouteRecording();
const first = (scene: string, key: string): Buffer => bytesOf(recorded[scene]?.[key]?.[0] ?? '');

describe('recorded routes', () => {
  it('tell gateway, interface and source', () => {
    const plain = { usable: true, outgoingIndex: 2, source: '192.168.77.2' };
    expect(parseRoute(first('plain', 'route 192.0.2.1'))).toEqual({ ...plain, gateway: '192.168.77.1' });
    expect(parseRoute(first('plain', 'route 192.168.77.1'))).toEqual({ ...plain, gateway: undefined });
    expect(parseRoute(first('plain', 'route 2001:db8:3::2'))).toMatchObject({
      gateway: 'fd77:0:0:1::1',
      source: 'fd77:0:0:1::2',
    });
  });

  it('know a gateway of the other family', () => {
    expect(parseRoute(first('tunnel', 'route 10.98.0.1'))?.gateway).toBe('fd77:0:0:1::1');
  });

  it('label tunnels by the kind of the link', () => {
    expect(parseLink(first('tunnel', 'link 3'))).toEqual({ name: 'tun0', tunnel: true });
    expect(parseLink(first('plain', 'link 2'))).toEqual({ name: 'eth0', tunnel: false });
    expect(parseLink(first('plain', 'link 1'))).toEqual({ name: 'lo', tunnel: false });
  });

  it('refuse a route that drops', () => {
    const dropped = Buffer.from(first('plain', 'route 192.0.2.1'));
    dropped.writeUInt8(6, 7);
    expect(parseRoute(dropped)?.usable).toBe(false);
  });
});

describe('damaged messages', () => {
  it('are undefined or part of the truth, never an exception', () => {
    const all = Object.values(recorded).flatMap((scene) =>
      Object.entries(scene)
        .filter(([key]) => !key.startsWith('error'))
        .flatMap(([, hex]) => hex.map(bytesOf)),
    );
    const random = seededBytes(5);
    for (const message of all) {
      for (let length = 0; length <= message.length; length += 1) {
        expect(() => [parseRoute(message.subarray(0, length)), parseLink(message.subarray(0, length))]).not.toThrow();
      }
      for (let i = 0; i < 300; i += 1) {
        const damaged = Buffer.from(message);
        const where = random(8);
        for (let k = 0; k < 4; k += 1) damaged[(where.readUInt8(k) * 257 + i) % damaged.length] = where.readUInt8(k + 4);
        expect(() => [parseRoute(damaged), parseLink(damaged)]).not.toThrow();
      }
    }
    expect(parseRoute(Buffer.alloc(11))).toBeUndefined();
    expect(parseLink(Buffer.alloc(15))).toBeUndefined();
  });
});

it('asks for one destination in full length', () => {
  expect(encodeRouteRequest('192.0.2.1').toString('hex')).toBe('022000000000000000000000' + '08000100c0000201');
  expect(encodeRouteRequest('2001:db8::1').subarray(0, 2)).toEqual(Buffer.from([10, 128]));
  expect(() => encodeRouteRequest('gateway.test')).toThrow(RangeError);
});
