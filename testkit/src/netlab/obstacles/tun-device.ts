import { openSync } from 'node:fs';
import koffi from 'koffi';

const TUNSETIFF = 0x400454ca;
const IFF_TUN_NO_PI = 0x1001;
const NAME_BYTES = 16;
const REQUEST_BYTES = 40;
const MAX_PACKET = 65_536;
const MAX_DRAIN = 64;
const O_RDWR_NONBLOCK = 0o4002;

/** A network interface whose packets a program carries. */
export interface TunDevice {
  /** The packet is valid only during the call. */
  listen(onPacket: (packet: Buffer) => void): void;
  send(packet: Buffer): void;
}

const library = koffi.load(null);
const ioctl = library.func('int ioctl(int, unsigned long, void *)');
const read = library.func('int64_t read(int, void *, size_t)');
const write = library.func('int64_t write(int, const void *, size_t)');
const handles: ReturnType<typeof koffi.node.poll>[] = [];

/** Needs CAP_NET_ADMIN. Lives as long as the process, and so does the interface. */
export function openTunDevice(name: string): TunDevice {
  const fd = openSync('/dev/net/tun', O_RDWR_NONBLOCK);
  const request = Buffer.from(new ArrayBuffer(REQUEST_BYTES));
  request.write(name, 0, NAME_BYTES - 1, 'latin1');
  request.writeUInt16LE(IFF_TUN_NO_PI, NAME_BYTES);
  if (ioctl(fd, TUNSETIFF, request) < 0) throw new Error(`TUNSETIFF: errno ${koffi.errno()}`);
  const buffer = Buffer.from(new ArrayBuffer(MAX_PACKET));
  return {
    listen(onPacket) {
      // Kept: a handle that nobody holds is collected.
      handles.push(
        koffi.node.poll(fd, { readable: true }, () => {
          for (let i = 0; i < MAX_DRAIN; i += 1) {
            const length = Number(read(fd, buffer, MAX_PACKET));
            if (length <= 0) break;
            onPacket(buffer.subarray(0, length));
          }
        }),
      );
    },
    send: (packet) => {
      write(fd, packet, packet.length);
    },
  };
}
