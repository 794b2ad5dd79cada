import os from 'node:os';
import koffi from 'koffi';

type Bytes = Buffer;

/** The C library's calls that probing and netlink need. Each answers as in its manual page: below zero is an error, see `lastError`. */
export interface Libc {
  socket: (domain: number, type: number, protocol: number) => number;
  close: (fd: number) => number;
  setsockopt: (...args: [fd: number, level: number, name: number, value: Bytes, length: number]) => number;
  bind: (fd: number, address: Bytes, length: number) => number;
  send: (...args: [fd: number, bytes: Bytes, length: number, flags: number]) => number;
  recv: (...args: [fd: number, bytes: Bytes, length: number, flags: number]) => number;
  sendto: (...args: [fd: number, bytes: Bytes, length: number, flags: number, to: Bytes, toLength: number]) => number;
  recvmsg: (fd: number, header: Bytes, flags: number) => number;
  clockGettime: (clock: number, out: Bytes) => number;
  epollCreate: (flags: number) => number;
  epollCtl: (...args: [epoll: number, operation: number, fd: number, event: Bytes]) => number;
}

let loaded: Libc | undefined;

/** Binds the C library of this very process (glibc or musl) on first use. Throws where the struct layouts do not hold. */
export function libc(): Libc {
  loaded ??= bindLibc();
  return loaded;
}

function bindLibc(): Libc {
  if (koffi.sizeof('void *') !== 8 || os.endianness() !== 'LE') throw new SystemCallError('load', os.constants.errno.ENOSYS);
  const library = koffi.load(null);
  return {
    socket: library.func('int socket(int, int, int)'),
    close: library.func('int close(int)'),
    setsockopt: library.func('int setsockopt(int, int, int, const void *, uint32_t)'),
    bind: library.func('int bind(int, const void *, uint32_t)'),
    send: library.func('int64_t send(int, const void *, size_t, int)'),
    recv: library.func('int64_t recv(int, void *, size_t, int)'),
    sendto: library.func('int64_t sendto(int, const void *, size_t, int, const void *, uint32_t)'),
    recvmsg: library.func('int64_t recvmsg(int, void *, int)'),
    clockGettime: library.func('int clock_gettime(int, void *)'),
    epollCreate: library.func('int epoll_create1(int)'),
    epollCtl: library.func('int epoll_ctl(int, int, int, void *)'),
  };
}

/** Number of the last failed call's error. To be asked right after it. */
export const lastError = (): number => koffi.errno();

const names = new Map(Object.entries(os.constants.errno).map(([name, value]) => [value, name]));
export const errorName = (errno: number): string => names.get(errno) ?? `errno ${errno}`;

/** A system call that failed; `code` is its name, such as EACCES. */
export class SystemCallError extends Error {
  override readonly name = 'SystemCallError';
  readonly errno: number;
  readonly code: string;

  constructor(call: string, errno: number) {
    super(`${call}: ${errorName(errno)}`);
    this.errno = errno;
    this.code = errorName(errno);
  }
}

/** Passes a call's answer on, or throws what the system says of its failure. */
export function checked(call: string, answer: number): number {
  if (answer < 0) throw new SystemCallError(call, lastError());
  return answer;
}
