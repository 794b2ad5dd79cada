import { LINUX } from '../layout/linux.ts';
import { checked, libc, SystemCallError } from '../libc.ts';
import { allocate } from '../memory.ts';
import { decodeReplies, encodeRequest } from './netlink-message.ts';

const { AF_NETLINK, SOCK_RAW, SOCK_CLOEXEC, SOCK_NONBLOCK, SOL_SOCKET, SO_RCVTIMEO, MSG_TRUNC, EOVERFLOW } = LINUX.constants;
const { sockaddr_nl, timeval } = LINUX.structs;
const BUFFER = 64 * 1024;
const MAX_DATAGRAMS = 1024;
const TIMEOUT_MS = 500;

export const { NETLINK_ROUTE, NETLINK_GENERIC } = LINUX.constants;

export interface NetlinkRequest {
  readonly type: number;
  readonly payload: Buffer;
  readonly dump?: boolean;
}

/** A netlink socket: requests are answered in order, one at a time. */
export interface Netlink {
  /** What follows the header of each message of the answer. Throws a SystemCallError with the kernel's error. */
  request: (request: NetlinkRequest) => Buffer[];
}

/** Opens a socket for the time of `use`. The kernel answers at once; half a second of silence is an error. */
export function withNetlink<T>(protocol: number, use: (netlink: Netlink) => T): T {
  const fd = checked('netlink socket', libc().socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  try {
    const timeout = allocate(timeval.sizeof);
    timeout.writeBigInt64LE(BigInt(TIMEOUT_MS * 1000), timeval.tv_usec);
    checked('setsockopt', libc().setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, timeout, timeout.length));
    const local = allocate(sockaddr_nl.sizeof);
    local.writeUInt16LE(AF_NETLINK, sockaddr_nl.nl_family);
    checked('bind', libc().bind(fd, local, local.length));
    return use(createNetlink(fd));
  } finally {
    libc().close(fd);
  }
}

function createNetlink(fd: number): Netlink {
  const buffer = allocate(BUFFER);
  let sequence = 0;
  return {
    request({ type, payload, dump = false }) {
      sequence += 1;
      const message = encodeRequest({ type, sequence, dump }, payload);
      const bytes = allocate(message.length);
      message.copy(bytes);
      checked('netlink send', libc().send(fd, bytes, bytes.length, 0));
      const answer: Buffer[] = [];
      for (let i = 0; i < MAX_DATAGRAMS; i += 1) {
        const length = checked('netlink receive', libc().recv(fd, buffer, BUFFER, MSG_TRUNC));
        if (length > BUFFER) break;
        const replies = decodeReplies(Buffer.from(buffer.subarray(0, length)), sequence);
        if (replies.errno !== 0) throw new SystemCallError('netlink', replies.errno);
        answer.push(...replies.payloads);
        if (replies.done) return answer;
      }
      throw new SystemCallError('netlink receive', EOVERFLOW);
    },
  };
}

/** Opens a socket that hears what the kernel announces to `groups`, as any user may. The caller closes it; reading never waits. */
export function openAnnouncements(protocol: number, groups: number): number {
  const fd = checked('netlink socket', libc().socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol));
  try {
    const local = allocate(sockaddr_nl.sizeof);
    local.writeUInt16LE(AF_NETLINK, sockaddr_nl.nl_family);
    local.writeUInt32LE(groups, sockaddr_nl.nl_groups);
    checked('bind', libc().bind(fd, local, local.length));
    return fd;
  } catch (error) {
    libc().close(fd);
    throw error;
  }
}
