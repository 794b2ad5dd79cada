import { lazily, openLibrary } from './library.ts';

const library = lazily(() => openLibrary('kernel32.dll'));
const convention = '__stdcall';

type Handle = number | bigint;
type Create = (
  ...args: [
    name: string,
    openMode: number,
    pipeMode: number,
    instances: number,
    outBytes: number,
    inBytes: number,
    timeoutMs: 0,
    access: Buffer,
  ]
) => Handle;

/** Functions of kernel32.dll for a named pipe's server, each bound on first use. Zero is a failure, -1 that of `create`. */
export const namedPipes = {
  create: lazily(() =>
    library().bind<Create>('CreateNamedPipeW', {
      convention,
      returns: 'intptr_t',
      takes: ['str16', 'uint32_t', 'uint32_t', 'uint32_t', 'uint32_t', 'uint32_t', 'uint32_t', 'void *'],
    }),
  ),
  /** Zero also where it waits: the last error says so. */
  connect: lazily(() =>
    library().bind<(pipe: Handle, overlapped: Buffer) => number>('ConnectNamedPipe', {
      convention,
      returns: 'int',
      takes: ['intptr_t', 'void *'],
    }),
  ),
  disconnect: lazily(() =>
    library().bind<(pipe: Handle) => number>('DisconnectNamedPipe', { convention, returns: 'int', takes: ['intptr_t'] }),
  ),
  clientSession: lazily(() =>
    library().bind<(pipe: Handle, session: Buffer) => number>('GetNamedPipeClientSessionId', {
      convention,
      returns: 'int',
      takes: ['intptr_t', 'void *'],
    }),
  ),
} as const;
