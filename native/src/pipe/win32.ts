import { advapi32 } from '../ffi/advapi32.ts';
import { kernel32 } from '../ffi/kernel32.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { lazily, NativeCallError, openLibrary, pointerSlot } from '../ffi/library.ts';
import { allocate } from '../ffi/memory.ts';
import { namedPipes } from '../ffi/named-pipes.ts';
import type { OpenPipe } from './pipe.ts';

const { OVERLAPPED, SECURITY_ATTRIBUTES } = WIN32.structs;
const {
  ERROR_IO_PENDING,
  ERROR_NO_DATA,
  ERROR_PIPE_CONNECTED,
  FILE_FLAG_FIRST_PIPE_INSTANCE,
  FILE_FLAG_OVERLAPPED,
  PIPE_ACCESS_DUPLEX,
  PIPE_REJECT_REMOTE_CLIENTS,
  SDDL_REVISION_1,
  STILL_ACTIVE,
} = WIN32.constants;

const INVALID_HANDLE = -1;
const BUFFER_BYTES = 65_536;
/** Whoever is logged in at a screen of this machine may connect, nobody over the network. Who of them is answered is said after that. */
const ACCESS = 'D:P(D;;FA;;;NU)(A;;FRFW;;;IU)';

const access = lazily(() => {
  const { slot, pointer } = pointerSlot();
  if (advapi32.securityDescriptor()(ACCESS, SDDL_REVISION_1, slot, null) === 0)
    throw new NativeCallError('ConvertStringSecurityDescriptorToSecurityDescriptorW', kernel32.lastError()());
  const attributes = allocate(SECURITY_ATTRIBUTES.sizeof);
  attributes.writeUInt32LE(SECURITY_ATTRIBUTES.sizeof, SECURITY_ATTRIBUTES.nLength);
  attributes.writeBigUInt64LE(pointer(), SECURITY_ATTRIBUTES.lpSecurityDescriptor);
  return attributes;
});

/** Node's own table of descriptors, which a handle has to stand in before a socket can take it. */
const openDescriptor = lazily(() =>
  openLibrary(process.execPath).bind<(handle: number | bigint) => number>('uv_open_osfhandle', {
    returns: 'int',
    takes: ['intptr_t'],
  }),
);

/** Where the system writes how a wait ended, perhaps just after its pipe was closed: the collector must not take it at once. */
const kept: Buffer[] = [];
const MAX_KEPT = 64;

export const openPipe: OpenPipe = (name) => {
  const mode = PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE;
  const handle = namedPipes.create()(name, mode, PIPE_REJECT_REMOTE_CLIENTS, 1, BUFFER_BYTES, BUFFER_BYTES, 0, access());
  if (Number(handle) === INVALID_HANDLE) throw new NativeCallError('CreateNamedPipeW', kernel32.lastError()());
  const wait = allocate(OVERLAPPED.sizeof);
  let isConnected = false;
  let isOver = false;
  const listen = (): void => {
    wait.fill(0);
    const ended = namedPipes.connect()(handle, wait) !== 0 ? ERROR_PIPE_CONNECTED : kernel32.lastError()();
    isConnected = ended === ERROR_PIPE_CONNECTED || ended === ERROR_NO_DATA;
    if (!isConnected && ended !== ERROR_IO_PENDING) throw new NativeCallError('ConnectNamedPipe', ended);
  };
  const close = (): void => {
    if (isOver) return;
    isOver = true;
    if (kept.push(wait) > MAX_KEPT) kept.shift();
    kernel32.closeHandle()(handle);
  };
  try {
    listen();
  } catch (error) {
    close();
    throw error;
  }
  return {
    // STATUS_PENDING has the same number.
    visited: () => !isOver && (isConnected || wait.readUInt32LE(OVERLAPPED.Internal) !== STILL_ACTIVE),
    visitorSession() {
      const session = allocate(4);
      return namedPipes.clientSession()(handle, session) === 0 ? undefined : session.readUInt32LE(0);
    },
    refuse() {
      namedPipes.disconnect()(handle);
      listen();
    },
    take() {
      const descriptor = openDescriptor()(handle);
      if (descriptor < 0) {
        close();
        throw new NativeCallError('uv_open_osfhandle');
      }
      isOver = true;
      return descriptor;
    },
    close,
  };
};
