import { lazily, openLibrary } from './library.ts';

const library = lazily(() => openLibrary('kernel32.dll'));
const convention = '__stdcall';

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
} as const;
