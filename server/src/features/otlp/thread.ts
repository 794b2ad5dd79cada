import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, formatHostPort, youngHeap } from '#kernel';
import type { BoundPorts, FromWorker, ReceiverSettings, ToWorker } from './messages.ts';

const KEY_OF = { grpc: 'SVC_OTLP_GRPC_ADDR', http: 'SVC_OTLP_HTTP_ADDR' } as const;

/** From source beside this file, from the bundle beside its chunks (server/build.js). */
const ENTRY = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'worker.ts' : 'otlp-receive-worker.js');

export interface Thread {
  ports: BoundPorts;
  post(message: ToWorker): void;
  terminate(): Promise<void>;
}

export interface ThreadEvents {
  /** `thread` is the same object for all messages of one thread. */
  onMessage: (message: FromWorker, thread: Pick<Thread, 'post'>) => void;
  onError: (error: unknown) => void;
  /** Also after `terminate`. Not called for a thread that never listened. */
  onExit: () => void;
}

function explain(settings: ReceiverSettings, { listener, code }: { listener: 'grpc' | 'http'; code: string }): AppError {
  const { host, port } = settings[listener] ?? { host: '', port: 0 };
  const reason = code === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${code})`;
  return new AppError(
    'unavailable',
    `${formatHostPort({ host, port })} ${reason}: stop that program or set ${KEY_OF[listener]} to another address.`,
  );
}

/** Each object of a request that is read holds 16 kB outside the heap until it is collected. */
const SEMI_SPACE_MB = 1;

/** Starts the worker; resolves when its listeners are open, AppError `unavailable` when one cannot be, and then nothing is left of it. */
export async function startThread(settings: ReceiverSettings, events: ThreadEvents): Promise<Thread> {
  const worker = new Worker(ENTRY, { workerData: settings, name: 'otlp-receive', resourceLimits: youngHeap(SEMI_SPACE_MB) });
  const post: Thread['post'] = (message) => worker.postMessage(message);
  const link = { post };
  const { promise, resolve, reject } = Promise.withResolvers<BoundPorts>();
  worker.on('message', (message: FromWorker) => {
    if (message.type === 'listening') resolve(message.ports);
    else if (message.type === 'failed') reject(explain(settings, message));
    else events.onMessage(message, link);
  });
  worker.on('error', (error) => {
    events.onError(error);
    reject(new AppError('unavailable', 'The OTLP receiver could not start.', { cause: error }));
  });
  worker.on('exit', () => reject(new AppError('unavailable', 'The OTLP receiver ended while it started.')));
  try {
    const ports = await promise;
    worker.on('exit', events.onExit);
    return { ports, post, terminate: async () => void (await worker.terminate()) };
  } catch (error) {
    await worker.terminate();
    throw error;
  }
}
