import koffi from 'koffi';
import { parseControlMessages } from '../ffi/control-message.ts';
import { LINUX } from '../ffi/layout/linux.ts';
import { libc } from '../ffi/libc.ts';
import { allocate } from '../ffi/memory.ts';
import { decodeSockaddr } from '../ffi/sockaddr.ts';
import type { Received } from './answer.ts';

const { MSG_DONTWAIT, MSG_ERRQUEUE } = LINUX.constants;
const { msghdr: MESSAGE, iovec: VECTOR } = LINUX.structs;
const NAME_BYTES = 32;
const CONTROL_BYTES = 512;
const DATA_BYTES = 1500;
const AT = { vector: 56, name: 72, control: 104, data: 616 } as const;
const ALL_BYTES = MESSAGE.sizeof + VECTOR.sizeof + NAME_BYTES + CONTROL_BYTES + DATA_BYTES;
/** A flood must not hold the loop: what is left wakes the poll again. */
const MAX_DRAIN = 256;

/** Reads a socket's error queue and data through one reused struct msghdr (64-bit layout). */
export function createReceiver(fd: number) {
  // One block holds the header and all that it points to: a separate buffer would be collected while the kernel writes to it.
  const block = allocate(ALL_BYTES);
  const base = koffi.address(block);
  const header = block.subarray(0, MESSAGE.sizeof);
  const name = block.subarray(AT.name, AT.name + NAME_BYTES);
  const control = block.subarray(AT.control, AT.control + CONTROL_BYTES);
  const data = block.subarray(AT.data, AT.data + DATA_BYTES);
  block.writeBigUInt64LE(base + BigInt(AT.data), AT.vector + VECTOR.iov_base);
  block.writeBigUInt64LE(BigInt(DATA_BYTES), AT.vector + VECTOR.iov_len);
  header.writeBigUInt64LE(base + BigInt(AT.name), MESSAGE.msg_name);
  header.writeBigUInt64LE(base + BigInt(AT.vector), MESSAGE.msg_iov);
  header.writeBigUInt64LE(1n, MESSAGE.msg_iovlen);
  header.writeBigUInt64LE(base + BigInt(AT.control), MESSAGE.msg_control);

  const receive = (flags: number): Received | undefined => {
    header.writeUInt32LE(NAME_BYTES, MESSAGE.msg_namelen);
    header.writeBigUInt64LE(BigInt(CONTROL_BYTES), MESSAGE.msg_controllen);
    header.writeInt32LE(0, MESSAGE.msg_flags);
    const length = libc().recvmsg(fd, header, flags | MSG_DONTWAIT);
    if (length < 0) return undefined;
    const controlLength = Math.min(CONTROL_BYTES, Number(header.readBigUInt64LE(MESSAGE.msg_controllen)));
    const nameLength = Math.min(NAME_BYTES, header.readUInt32LE(MESSAGE.msg_namelen));
    return {
      data: data.subarray(0, Math.min(DATA_BYTES, length)),
      peer: decodeSockaddr(name.subarray(0, nameLength), 0),
      ...parseControlMessages(control.subarray(0, controlLength)),
      queue: flags === 0 ? 'data' : 'error',
    };
  };

  return {
    /** Takes what is there; an ICMP error that a plain read consumes is still in the error queue. */
    drain(onReceived: (received: Received) => void): void {
      for (const flags of [MSG_ERRQUEUE, 0]) {
        for (let i = 0; i < MAX_DRAIN; i += 1) {
          const received = receive(flags);
          if (!received) break;
          onReceived(received);
        }
      }
    },
  };
}
