import { openLibrary } from './library.ts';

type Bytes = Buffer;

/**
 * Calls of macOS's C library; below zero is an error, see `lastError`. None of them is variadic: on Apple's arm64 those take their
 * arguments another way, which is why descriptors are not set non-blocking but each call is.
 */
export interface LibSystem {
  socket: (domain: number, type: number, protocol: number) => number;
  close: (fd: number) => number;
  setsockopt: (...args: [fd: number, level: number, name: number, value: Bytes, length: number]) => number;
  sendto: (...args: [fd: number, bytes: Bytes, length: number, flags: number, to: Bytes, toLength: number]) => number | bigint;
  recv: (...args: [fd: number, bytes: Bytes, length: number, flags: number]) => number | bigint;
  recvmsg: (fd: number, header: Bytes, flags: number) => number | bigint;
  clockGettime: (clock: number, out: Bytes) => number;
  /** `out` null asks for the size. */
  sysctl: (...args: [name: Bytes, names: number, out: Bytes | null, size: Bytes, set: null, setSize: number]) => number;
  ifIndexToName: (index: number, out: Bytes) => unknown;
}

const bound = new Map<string, LibSystem>();

/** Throws a NativeCallError where the library or one of its functions is missing. */
export function libSystem(path: string): LibSystem {
  const known = bound.get(path);
  if (known) return known;
  const { bind } = openLibrary(path);
  const library: LibSystem = {
    socket: bind('socket', { returns: 'int', takes: ['int', 'int', 'int'] }),
    close: bind('close', { returns: 'int', takes: ['int'] }),
    setsockopt: bind('setsockopt', { returns: 'int', takes: ['int', 'int', 'int', 'void *', 'uint32_t'] }),
    sendto: bind('sendto', { returns: 'int64_t', takes: ['int', 'void *', 'size_t', 'int', 'void *', 'uint32_t'] }),
    recv: bind('recv', { returns: 'int64_t', takes: ['int', 'void *', 'size_t', 'int'] }),
    recvmsg: bind('recvmsg', { returns: 'int64_t', takes: ['int', 'void *', 'int'] }),
    clockGettime: bind('clock_gettime', { returns: 'int', takes: ['int', 'void *'] }),
    sysctl: bind('sysctl', { returns: 'int', takes: ['void *', 'uint32_t', 'void *', 'void *', 'void *', 'size_t'] }),
    ifIndexToName: bind('if_indextoname', { returns: 'void *', takes: ['uint32_t', 'void *'] }),
  };
  bound.set(path, library);
  return library;
}
