import { describe, expect, it } from 'vitest';
import { addressBytes } from '../ffi/address.ts';
import { DARWIN } from '../ffi/layout/darwin.ts';
import { LINUX } from '../ffi/layout/linux.ts';
import { encodeAttribute, encodeU32 } from '../ffi/netlink/netlink-message.ts';
import { DARWIN_SOCKADDR, encodeSockaddr } from '../ffi/sockaddr.ts';
import { seededBytes } from '../testing/recordings.ts';
import { endsWayOut, type RouteEvent } from './route-event.ts';
import { parseRouteAnnouncements } from './route-socket-events.ts';
import { parseRouteEvents } from './rtnetlink-events.ts';
import type { WayOut } from './way-out.ts';

const C = LINUX.constants;
const S = LINUX.structs;

function announcement(type: number, body: Buffer): Buffer {
  const header = Buffer.alloc(S.nlmsghdr.sizeof);
  header.writeUInt32LE(header.length + body.length, S.nlmsghdr.nlmsg_len);
  header.writeUInt16LE(type, S.nlmsghdr.nlmsg_type);
  return Buffer.concat([header, body]);
}

function linkBody(flags: number, attributes: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.alloc(S.ifinfomsg.sizeof);
  body.writeInt32LE(3, S.ifinfomsg.ifi_index);
  body.writeUInt32LE(flags, S.ifinfomsg.ifi_flags);
  return Buffer.concat([body, attributes]);
}

function addressBody(address: string): Buffer {
  const body = Buffer.alloc(S.ifaddrmsg.sizeof);
  body.writeUInt8(address.includes(':') ? 10 : 2, S.ifaddrmsg.ifa_family);
  body.writeUInt32LE(3, S.ifaddrmsg.ifa_index);
  return Buffer.concat([body, encodeAttribute(C.IFA_ADDRESS, addressBytes(address))]);
}

function routeBody(prefixLength: number, table = 254): Buffer {
  const body = Buffer.alloc(S.rtmsg.sizeof);
  body.writeUInt8(2, S.rtmsg.rtm_family);
  body.writeUInt8(prefixLength, S.rtmsg.rtm_dst_len);
  body.writeUInt8(table, S.rtmsg.rtm_table);
  return Buffer.concat([body, encodeAttribute(C.RTA_OIF, encodeU32(3))]);
}

const UP = C.IFF_UP | C.IFF_LOWER_UP;
const link = (up: boolean, carrier: boolean): RouteEvent => ({ kind: 'link', index: 3, up, carrier });

describe("the kernel's announcements", () => {
  it('are read one after another', () => {
    const datagram = Buffer.concat([
      announcement(C.RTM_NEWLINK, linkBody(UP)),
      announcement(C.RTM_NEWLINK, linkBody(C.IFF_UP)),
      announcement(C.RTM_DELLINK, linkBody(UP)),
      announcement(C.RTM_DELADDR, addressBody('192.168.1.20')),
      announcement(C.RTM_NEWADDR, addressBody('2001:db8::20')),
      announcement(C.RTM_DELROUTE, routeBody(0)),
      announcement(C.RTM_NEWROUTE, routeBody(24)),
    ]);
    expect(parseRouteEvents(datagram)).toEqual([
      link(true, true),
      link(true, false),
      link(false, false),
      { kind: 'address', index: 3, removed: true, address: '192.168.1.20' },
      { kind: 'address', index: 3, removed: false, address: undefined },
      { kind: 'route', index: 3, removed: true, isDefault: true },
      { kind: 'route', index: 3, removed: false, isDefault: false },
    ]);
  });

  it("leave out a radio's scans and the addresses' own routes", () => {
    const scan = announcement(C.RTM_NEWLINK, linkBody(UP, encodeAttribute(C.IFLA_WIRELESS, Buffer.alloc(8))));
    expect(parseRouteEvents(Buffer.concat([scan, announcement(C.RTM_NEWROUTE, routeBody(32, C.RT_TABLE_LOCAL))]))).toEqual([]);
  });

  it('never make the parser throw, cut or changed', () => {
    const whole = Buffer.concat([
      announcement(C.RTM_NEWLINK, linkBody(UP)),
      announcement(C.RTM_DELADDR, addressBody('10.0.0.1')),
    ]);
    for (let length = 0; length <= whole.length; length += 1)
      expect(() => parseRouteEvents(whole.subarray(0, length))).not.toThrow();
    const random = seededBytes(21);
    for (let i = 0; i < 1000; i += 1) expect(() => parseRouteEvents(random(i % 96))).not.toThrow();
  });
});

const D = DARWIN.constants;

function macMessage(type: number, fill: (bytes: Buffer) => void, length = 112): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt16LE(length, 0);
  bytes.writeUInt8(D.RTM_VERSION, 2);
  bytes.writeUInt8(type, 3);
  fill(bytes);
  return bytes;
}

function macRoute(type: number, destination: string, flags: number): Buffer {
  const address = encodeSockaddr({ address: destination, port: 0 }, DARWIN_SOCKADDR);
  const header = DARWIN.structs.rt_msghdr;
  return macMessage(
    type,
    (bytes) => {
      bytes.writeUInt16LE(3, header.rtm_index);
      bytes.writeUInt32LE(flags, header.rtm_flags);
      bytes.writeUInt32LE(5, header.rtm_addrs);
      address.copy(bytes, header.sizeof);
    },
    header.sizeof + address.length + 4,
  );
}

describe("the announcements of macOS' routing socket", () => {
  it('are read one after another, neighbours passed over', () => {
    const bytes = Buffer.concat([
      macMessage(D.RTM_IFINFO, (message) => message.writeUInt16LE(3, 12)),
      macMessage(D.RTM_DELADDR, (message) => message.writeUInt16LE(3, 12), 40),
      macRoute(D.RTM_DELETE, '0.0.0.0', D.RTF_GATEWAY),
      macRoute(D.RTM_DELETE, '0.0.0.0', D.RTF_GATEWAY | D.RTF_IFSCOPE),
      macRoute(D.RTM_ADD, '192.168.1.7', D.RTF_UP | D.RTF_HOST),
      macMessage(0x7, () => undefined),
    ]);
    expect(parseRouteAnnouncements(bytes)).toEqual([
      link(false, false),
      { kind: 'address', index: 3, removed: true, address: undefined },
      { kind: 'route', index: 3, removed: true, isDefault: true },
      { kind: 'route', index: 3, removed: true, isDefault: false },
    ]);
  });

  it('never make the parser throw, cut or changed', () => {
    const whole = macRoute(D.RTM_DELETE, '10.0.0.0', 0);
    for (let length = 0; length <= whole.length; length += 1)
      expect(() => parseRouteAnnouncements(whole.subarray(0, length))).not.toThrow();
    const random = seededBytes(22);
    for (let i = 0; i < 1000; i += 1) {
      const bytes = random(120);
      bytes.writeUInt16LE(16 + (i % 100), 0);
      bytes.writeUInt8(D.RTM_VERSION, 2);
      bytes.writeUInt8(1 + (i % 14), 3);
      expect(() => parseRouteAnnouncements(bytes)).not.toThrow();
    }
  });
});

describe('what ends the way out', () => {
  const way: WayOut = {
    v4: { interfaceIndex: 3, gateway: '192.168.1.1', source: '192.168.1.20' },
    v6: undefined,
    identity: undefined,
  };
  const isRadio = (index: number): boolean => index === 4;
  const overRadio: WayOut = { ...way, v4: { interfaceIndex: 4, gateway: '192.168.1.1', source: '192.168.1.20' } };
  const cases: [string, { event: RouteEvent; out: WayOut; ends: boolean }][] = [
    ['its cable is pulled', { event: link(true, false), out: way, ends: true }],
    ['its cable is there', { event: link(true, true), out: way, ends: false }],
    ['its radio roams', { event: { kind: 'link', index: 4, up: true, carrier: false }, out: overRadio, ends: false }],
    ['its radio is switched off', { event: { kind: 'link', index: 4, up: false, carrier: false }, out: overRadio, ends: true }],
    ['another interface is down', { event: link(false, false), out: overRadio, ends: false }],
    [
      'its address is taken away',
      { event: { kind: 'address', index: 3, removed: true, address: '192.168.1.20' }, out: way, ends: true },
    ],
    [
      'another address is taken away',
      { event: { kind: 'address', index: 3, removed: true, address: '192.168.1.77' }, out: way, ends: false },
    ],
    [
      'its default route is taken away',
      { event: { kind: 'route', index: 3, removed: true, isDefault: true }, out: way, ends: true },
    ],
    [
      'another route is taken away',
      { event: { kind: 'route', index: 3, removed: true, isDefault: false }, out: way, ends: false },
    ],
    ['a default route is added', { event: { kind: 'route', index: 3, removed: false, isDefault: true }, out: way, ends: false }],
  ];
  it.each(cases)('%s', (_name, { event, out, ends }) => expect(endsWayOut(event, out, isRadio)).toBe(ends));
});
