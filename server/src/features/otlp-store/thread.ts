import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DEFAULT_SERIES_PER_DAY, type MetricClocks, type SeriesBounds, type SeriesInStore } from '@svc/otlp-wire/rows';
import type { Signal } from '@svc/otlp-wire/walk';
import type { FastifyBaseLogger } from 'fastify';
import type { Checksum } from '#bus';
import { AppError, copyBytes, youngHeap } from '#kernel';
import {
  type BuildAnswer,
  type BuildRequest,
  DamagedMessage,
  MESSAGE_NUMBERS,
  type StoreThreadData,
  type ToStoreThread,
} from './messages.ts';

const ENTRY = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'worker.ts' : 'otlp-store-worker.js');

/** Points are built in JavaScript: with less they cost 2 % more. */
const SEMI_SPACE_MB = 4;

/** Memory that batches were copied into and that is kept for the next. */
const MAX_IDLE = 2;
const MIN_BYTES = 1 << 20;
/** A build takes well under a second: one that takes this long never ends, and the thread is begun anew. */
const BUILD_LIMIT_MS = 60_000;
const ENDED = 'The thread that builds OTLP blocks ended.';
const DEFAULT_DAYS: MetricClocks = { application: 30, host: 30, flow: 30 };

/** Series that a tenant brings before it is read which of them the store has: few have so many. */
const READ_AFTER = 10_000;

const NONE: Checksum = { seed: -1, crc: -1 };

export interface MessageToBuild {
  tenant: string;
  value: Buffer;
  /** Receive time, Unix ms. */
  at: number;
  offset: bigint;
  checksum?: Checksum;
  /** As in BatchTenant: the same for all of a tenant. */
  large: boolean;
  /** Days that the store already has of this message. */
  stored?: readonly number[];
}

export interface BatchToBuild {
  signal: Signal;
  partition: number;
  messages: readonly MessageToBuild[];
}

/** Blocks of one batch, or of its beginning. `done` is to be called once, whatever became of them: it tells the builder and gives the memory back. */
export interface BuiltBatch extends Pick<BuildAnswer, 'blocks' | 'counts' | 'taken' | 'refused' | 'series'> {
  done(stored: boolean): void;
}

export interface BuildThreadOptions {
  /** Days that points of metrics are kept, by source. */
  metricDays?: MetricClocks | undefined;
  /** New series of metrics that a tenant may bring in a day. */
  seriesPerDay?: number | undefined;
  /** What the store has of a tenant's series; without it, a tenant that brings many counts from nothing after a start. */
  readSeries?: ((tenant: string) => Promise<SeriesInStore>) | undefined;
  /** Milliseconds that a build may take. */
  limitMs?: number | undefined;
}

/** The thread that turns requests into blocks. It starts with the first batch, and again after it died. */
export interface BuildThread {
  /** Rejects when the thread dies or fails, with DamagedMessage where a checksum is wrong: nothing was built then. */
  build(batch: BatchToBuild): Promise<BuiltBatch>;
  close(): Promise<void>;
}

interface Waiting {
  resolve(answer: BuildAnswer): void;
  reject(error: Error): void;
}

const memoryFor = (idle: SharedArrayBuffer[], bytes: number): SharedArrayBuffer => {
  const fitting = idle.findIndex((memory) => memory.byteLength >= bytes);
  if (fitting >= 0) return idle.splice(fitting, 1)[0] as SharedArrayBuffer;
  idle.shift();
  // In powers of two: V8 does not see the size of what is dropped, so that there should be little of it.
  return new SharedArrayBuffer(Math.max(MIN_BYTES, 2 ** Math.ceil(Math.log2(bytes))));
};

const isShared = ({ value }: MessageToBuild): boolean => (value.buffer as ArrayBufferLike) instanceof SharedArrayBuffer;

/** The messages where the thread can read them: those that the bus read into shared memory stay there, the others are copied. */
function share(idle: SharedArrayBuffer[], messages: readonly MessageToBuild[]) {
  const bytes = messages.reduce((sum, message) => sum + (isShared(message) ? 0 : message.value.length), 0);
  if (bytes === 0) return { messages, release: () => undefined };
  const memory = memoryFor(idle, bytes);
  const into = Buffer.from(memory);
  let used = 0;
  const copies = messages.map((message) => {
    if (isShared(message)) return message;
    const start = used;
    used = copyBytes(message.value, into, start);
    return { ...message, value: into.subarray(start, used) };
  });
  const release = (): void => {
    if (idle.length < MAX_IDLE) idle.push(memory);
  };
  return { messages: copies, release };
}

/** Gives each new key the next number. */
function numbered<Key>() {
  const numbers = new Map<Key, number>();
  return {
    of(key: Key): number {
      const known = numbers.get(key) ?? numbers.size;
      if (known === numbers.size) numbers.set(key, known);
      return known;
    },
    keys: () => [...numbers.keys()],
  };
}

function toRequest({ signal, partition }: BatchToBuild, messages: readonly MessageToBuild[], id: number): BuildRequest {
  const [tenants, memory] = [numbered<string>(), numbered<ArrayBufferLike>()];
  const numbers = new Float64Array(messages.length * MESSAGE_NUMBERS);
  const stored = new Map<number, readonly number[]>();
  const large = new Set<string>();
  let used = 0;
  for (const [i, { tenant, value, at, offset, checksum = NONE, large: isLarge, stored: days }] of messages.entries()) {
    const { buffer, byteOffset, length } = value;
    const offsetLow = Number(BigInt.asUintN(32, offset));
    const offsetHigh = Number(offset >> 32n);
    const places = [tenants.of(tenant), memory.of(buffer), byteOffset, byteOffset + length];
    for (const number of [...places, at, offsetLow, offsetHigh, checksum.seed, checksum.crc]) numbers[used++] = number;
    if (isLarge) large.add(tenant);
    if (days) stored.set(i, days);
  }
  return {
    ...{ kind: 'build', id, signal, partition, messages: numbers, stored },
    memory: memory.keys() as SharedArrayBuffer[],
    tenants: tenants.keys().map((tenant) => ({ tenant, large: large.has(tenant) })),
  };
}

/** Gives the memory of blocks back. */
function toDone(id: number, blocks: BuildAnswer['blocks'], stored: boolean): ToStoreThread {
  const memory = blocks.map(({ bytes }) => bytes.buffer).filter((buffer) => buffer instanceof SharedArrayBuffer);
  return { kind: 'done', id, stored, memory };
}

const boundsOf = (perDay: number, canRead: boolean): SeriesBounds => ({
  perDay,
  readAfter: canRead ? Math.max(1, Math.min(READ_AFTER, Math.floor(perDay / 2))) : 0,
});

interface RunOptions {
  workerData: StoreThreadData;
  limitMs: number;
  log: FastifyBaseLogger;
}

/** The thread itself, and the next one after it died. */
function createRuns({ workerData, limitMs, log }: RunOptions) {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let builds = 0;
  let watch: NodeJS.Timeout | undefined;

  /** Begins anew with whatever the thread works on next. */
  function watchNext(): void {
    clearTimeout(watch);
    const watched = worker;
    if (waiting.size === 0 || watched === undefined) return;
    watch = setTimeout(() => {
      log.error({ limitMs }, 'the thread that builds OTLP blocks takes too long: it starts again');
      end(watched, new Error(`A build took more than ${limitMs} ms.`));
      void watched.terminate();
    }, limitMs);
  }

  function end(died: Worker, cause: unknown): void {
    if (worker !== died) return;
    worker = undefined;
    // It works on one batch after the other: what ended it is the first, if anything of them is.
    for (const [i, { reject }] of [...waiting.values()].entries())
      reject(new AppError(i === 0 ? 'internal' : 'unavailable', ENDED, { cause }));
    waiting.clear();
    clearTimeout(watch);
  }

  function start(): Worker {
    const started = new Worker(ENTRY, { name: 'otlp-store', workerData, resourceLimits: youngHeap(SEMI_SPACE_MB) });
    started.on('message', (answer: BuildAnswer) => {
      const asked = waiting.get(answer.id);
      waiting.delete(answer.id);
      watchNext();
      if (answer.fault === undefined) asked?.resolve(answer);
      else if (answer.isDamaged) asked?.reject(new DamagedMessage());
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
    /** `tell` reaches the thread that answered, and nobody once that has ended. */
    async ask(requestOf: (id: number) => BuildRequest) {
      worker ??= start();
      const thread = worker;
      const request = requestOf(builds++);
      const answer = await new Promise<BuildAnswer>((resolve, reject) => {
        waiting.set(request.id, { resolve, reject });
        if (waiting.size === 1) watchNext();
        thread.postMessage(request);
      });
      const tell = (message: ToStoreThread): void => {
        if (worker === thread) thread.postMessage(message);
      };
      return { answer, tell };
    },
    async close() {
      const ending = worker;
      worker = undefined;
      clearTimeout(watch);
      await ending?.terminate();
    },
  };
}

export function createBuildThread(log: FastifyBaseLogger, options: BuildThreadOptions = {}): BuildThread {
  const { metricDays: days = DEFAULT_DAYS, seriesPerDay = DEFAULT_SERIES_PER_DAY, readSeries } = options;
  const workerData: StoreThreadData = { days, bounds: boundsOf(seriesPerDay, readSeries !== undefined) };
  const idle: SharedArrayBuffer[] = [];
  const runs = createRuns({ workerData, limitMs: options.limitMs ?? BUILD_LIMIT_MS, log });
  let isClosed = false;

  return {
    async build(batch) {
      const { messages, release } = share(idle, batch.messages);
      for (;;) {
        const { answer, tell } = await runs.ask((id) => toRequest(batch, messages, id));
        const { id, ...built } = answer;
        const { unread = [] } = built.series ?? {};
        const done = (stored: boolean): void => tell(toDone(id, built.blocks, stored));
        if (!readSeries || unread.length === 0) {
          release();
          return { ...built, done };
        }
        // The same messages are built again once the thread knows what the store has: none of these blocks is stored.
        done(false);
        for (const series of await Promise.all(unread.map(readSeries))) tell({ kind: 'series', series });
        if (isClosed) throw new AppError('unavailable', ENDED);
      }
    },
    async close() {
      isClosed = true;
      await runs.close();
    },
  };
}
