import { lazily, openLibrary } from './library.ts';

const library = lazily(() => openLibrary('kernel32.dll'));
const convention = '__stdcall';

type Handle = number | bigint;
type CreateThread = (...args: [security: null, stackBytes: 0, start: bigint, argument: Buffer, flags: 0, id: null]) => Handle;

/** Functions of kernel32.dll, each bound on first use. */
export const kernel32 = {
  /** Runs the procedure calls that wait for this thread; 192 where it ran some. */
  sleepEx: lazily(() =>
    library().bind<(ms: number, alertable: 1) => number>('SleepEx', {
      convention,
      returns: 'uint32_t',
      takes: ['uint32_t', 'int'],
    }),
  ),
  lastError: lazily(() => library().bind<() => number>('GetLastError', { convention, returns: 'uint32_t', takes: [] })),
  powerStatus: lazily(() =>
    library().bind<(status: Buffer) => number>('GetSystemPowerStatus', { convention, returns: 'int', takes: ['void *'] }),
  ),
  moduleHandle: lazily(() =>
    library().bind<(name: string) => bigint>('GetModuleHandleW', { convention, returns: 'uintptr_t', takes: ['str16'] }),
  ),
  procAddress: lazily(() =>
    library().bind<(module: bigint, name: string) => bigint>('GetProcAddress', {
      convention,
      returns: 'uintptr_t',
      takes: ['uintptr_t', 'str'],
    }),
  ),
  createThread: lazily(() =>
    library().bind<CreateThread>('CreateThread', {
      convention,
      returns: 'intptr_t',
      takes: ['void *', 'size_t', 'uintptr_t', 'void *', 'uint32_t', 'void *'],
    }),
  ),
  /** Writes 259 into `code` while the thread runs. */
  threadExitCode: lazily(() =>
    library().bind<(thread: Handle, code: Buffer) => number>('GetExitCodeThread', {
      convention,
      returns: 'int',
      takes: ['intptr_t', 'void *'],
    }),
  ),
  closeHandle: lazily(() =>
    library().bind<(handle: Handle) => number>('CloseHandle', { convention, returns: 'int', takes: ['intptr_t'] }),
  ),
  /** The session that screen and keyboard belong to; 0xFFFFFFFF while they change hands. */
  consoleSession: lazily(() =>
    library().bind<() => number>('WTSGetActiveConsoleSessionId', { convention, returns: 'uint32_t', takes: [] }),
  ),
} as const;
