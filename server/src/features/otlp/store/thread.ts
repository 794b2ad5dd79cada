import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FastifyBaseLogger } from 'fastify';
import { AppError, copyBytes } from '#kernel';
import type { MetricClocks } from '../build/index.ts';
import type { Signal } from '../wire/index.ts';
import type { BatchMessage, BuildAnswer, BuildRequest, ToStoreThread } from './messages.ts';

const ENTRY = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'worker.ts' : 'otlp-store-worker.js');

/** Memory that batches were copied into and that is kept for the next. */
const MAX_IDLE = 2;
const MIN_BYTES = 1 << 20;
const DEFAULT_DAYS: MetricClocks = { application: 30, host: 30, flow: 30 };

type ToPlace = Omit<BatchMessage, 'memory' | 'start' | 'end'> & { value: Buffer };

export interface BatchToBuild {
  signal: Signal;
  partition: number;
  messages: readonly ToPlace[];
}

/** Blocks of one batch. `done` is to be called once, whatever became of them: it tells the builder and gives the memory back. */
export interface BuiltBatch extends Pick<BuildAnswer, 'blocks' | 'counts' | 'refused'> {
  done(stored: boolean): void;
}

/** The thread that turns requests into blocks. It starts with the first batch, and again after it died. */
export interface BuildThread {
  /** Rejects when the thread dies or fails: nothing was built then. */
  build(batch: BatchToBuild): Promise<BuiltBatch>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(answer: BuildAnswer): void;
  reject(error: Error): void;
}

/** A batch where the thread can read it. */
interface Placed {
  memory: SharedArrayBuffer[];
  messages: BatchMessage[];
  /** The thread has read it. */
  release(): void;
}

const memoryFor = (idle: SharedArrayBuffer[], bytes: number): SharedArrayBuffer => {
  const fitting = idle.findIndex((memory) => memory.byteLength >= bytes);
  if (fitting >= 0) return idle.splice(fitting, 1)[0] as SharedArrayBuffer;
  idle.shift();
  // In powers of two: V8 does not see the size of what is dropped, so that there should be little of it.
  return new SharedArrayBuffer(Math.max(MIN_BYTES, 2 ** Math.ceil(Math.log2(bytes))));
};

function copied(idle: SharedArrayBuffer[], messages: readonly ToPlace[]): Placed {
  const memory = memoryFor(
    idle,
    messages.reduce((sum, { value }) => sum + value.length, 0),
  );
  const into = Buffer.from(memory);
  let used = 0;
  const placed = messages.map(({ value, ...message }): BatchMessage => {
    const start = used;
    used = copyBytes(value, into, start);
    return { ...message, memory: 0, start, end: used };
  });
  const release = (): void => {
    if (idle.length < MAX_IDLE) idle.push(memory);
  };
  return { memory: [memory], messages: placed, release };
}

/** Where the bus read the batch into shared memory it is read where it lies, else a copy is made. */
function place(idle: SharedArrayBuffer[], messages: readonly ToPlace[]): Placed {
  const places = new Map<SharedArrayBuffer, number>();
  const placed: BatchMessage[] = [];
  for (const { value, ...message } of messages) {
    const { buffer, byteOffset, length } = value;
    if (!(buffer instanceof SharedArrayBuffer)) return copied(idle, messages);
    const memory = places.get(buffer) ?? places.size;
    places.set(buffer, memory);
    placed.push({ ...message, memory, start: byteOffset, end: byteOffset + length });
  }
  return { memory: [...places.keys()], messages: placed, release: () => undefined };
}

export function createBuildThread(log: FastifyBaseLogger, metricDays: MetricClocks = DEFAULT_DAYS): BuildThread {
  const idle: SharedArrayBuffer[] = [];
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let builds = 0;

  function end(died: Worker, cause: unknown): void {
    if (worker !== died) return;
    worker = undefined;
    for (const { reject } of waiting.values())
      reject(new AppError('unavailable', 'The thread that builds OTLP blocks ended.', { cause }));
    waiting.clear();
  }

  function start(): Worker {
    const started = new Worker(ENTRY, { name: 'otlp-store', workerData: metricDays });
    started.on('message', (answer: BuildAnswer) => {
      const asked = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (answer.fault === undefined) asked?.resolve(answer);
      else
        asked?.reject(new AppError('internal', 'OTLP data could not be made into blocks.', { cause: new Error(answer.fault) }));
    });
    started.on('error', (err) => {
      log.error({ err }, 'the thread that builds OTLP blocks died: it starts again');
      end(started, err);
    });
    started.on('exit', (code) => end(started, new Error(`exit ${code}`)));
    return started;
  }

  return {
    async build({ signal, partition, messages }) {
      const placed = place(idle, messages);
      worker ??= start();
      const thread = worker;
      const id = builds++;
      const request: BuildRequest = { kind: 'build', id, signal, partition, memory: placed.memory, messages: placed.messages };
      const { blocks, counts, refused } = await new Promise<BuildAnswer>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        thread.postMessage(request);
      });
      placed.release();
      return {
        blocks,
        counts,
        refused,
        done(stored) {
          const memory = blocks.map(({ bytes }) => bytes.buffer).filter((buffer) => buffer instanceof SharedArrayBuffer);
          const message: ToStoreThread = { kind: 'done', id, stored, memory };
          if (worker === thread) thread.postMessage(message);
        },
      };
    },
    async close() {
      const ending = worker;
      worker = undefined;
      await ending?.terminate();
    },
  };
}
