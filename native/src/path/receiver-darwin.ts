import koffi from 'koffi';
import { DARWIN } from '../ffi/layout/darwin.ts';
import type { LibSystem } from '../ffi/libsystem.ts';
import { allocate } from '../ffi/memory.ts';
import { DARWIN_SOCKADDR, decodeSockaddr } from '../ffi/sockaddr.ts';

const { structs, constants } = DARWIN;
const { msghdr: MESSAGE, iovec: VECTOR, cmsghdr: CONTROL, timeval: TIME } = structs;
const NAME_BYTES = 32;
const CONTROL_BYTES = 256;
const DATA_BYTES = 1500;
const AT = { vector: 48, name: 64, control: 96, data: 352 } as const;
const ALL_BYTES = AT.data + DATA_BYTES;
/** A flood must not hold the loop: what is left wakes the poll again. */
const MAX_DRAIN = 256;

export interface Datagram {
  readonly data: Buffer;
  readonly from: string | undefined;
  /** Kernel receive time, Unix milliseconds. */
  readonly receivedAtMs: number | undefined;
}

/** Reads a socket through one reused struct msghdr. */
export function createReceiver(system: LibSystem, fd: number) {
  // One block holds the header and all that it points to: a separate buffer would be collected while the kernel writes to it.
  const block = allocate(ALL_BYTES);
  const base = koffi.address(block);
  const part = (from: number, length: number): Buffer => block.subarray(from, from + length);
  const [header, name, control, data] = [
    part(0, MESSAGE.sizeof),
    part(AT.name, NAME_BYTES),
    part(AT.control, CONTROL_BYTES),
    part(AT.data, DATA_BYTES),
  ];
  block.writeBigUInt64LE(base + BigInt(AT.data), AT.vector + VECTOR.iov_base);
  block.writeBigUInt64LE(BigInt(DATA_BYTES), AT.vector + VECTOR.iov_len);
  header.writeBigUInt64LE(base + BigInt(AT.name), MESSAGE.msg_name);
  header.writeBigUInt64LE(base + BigInt(AT.vector), MESSAGE.msg_iov);
  header.writeInt32LE(1, MESSAGE.msg_iovlen);
  header.writeBigUInt64LE(base + BigInt(AT.control), MESSAGE.msg_control);

  const receive = (): Datagram | undefined => {
    header.writeUInt32LE(NAME_BYTES, MESSAGE.msg_namelen);
    header.writeUInt32LE(CONTROL_BYTES, MESSAGE.msg_controllen);
    header.writeInt32LE(0, MESSAGE.msg_flags);
    const length = Number(system.recvmsg(fd, header, constants.MSG_DONTWAIT));
    if (length < 0) return undefined;
    const nameLength = Math.min(NAME_BYTES, header.readUInt32LE(MESSAGE.msg_namelen));
    const controlLength = Math.min(CONTROL_BYTES, header.readUInt32LE(MESSAGE.msg_controllen));
    return {
      data: data.subarray(0, Math.min(DATA_BYTES, length)),
      from: decodeSockaddr(name.subarray(0, nameLength), 0, DARWIN_SOCKADDR)?.address,
      receivedAtMs: parseReceiveTime(control.subarray(0, controlLength)),
    };
  };

  return {
    drain(onReceived: (datagram: Datagram) => void): void {
      for (let i = 0; i < MAX_DRAIN; i += 1) {
        const datagram = receive();
        if (!datagram) break;
        onReceived(datagram);
      }
    },
  };
}

/** The time of SCM_TIMESTAMP among control messages, which are aligned to four bytes; stops at the first that does not fit. */
export function parseReceiveTime(bytes: Buffer): number | undefined {
  for (let at = 0; at + CONTROL.sizeof <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + CONTROL.cmsg_len);
    if (length < CONTROL.sizeof || at + length > bytes.length) return undefined;
    const isTime =
      bytes.readInt32LE(at + CONTROL.cmsg_level) === constants.SOL_SOCKET &&
      bytes.readInt32LE(at + CONTROL.cmsg_type) === constants.SCM_TIMESTAMP;
    const body = bytes.subarray(at + CONTROL.sizeof, at + length);
    if (isTime && body.length >= TIME.tv_usec + 4) {
      return Number(body.readBigInt64LE(TIME.tv_sec)) * 1e3 + body.readInt32LE(TIME.tv_usec) / 1e3;
    }
    at += (length + 3) & ~3;
  }
  return undefined;
}
