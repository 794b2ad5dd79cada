import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FastifyBaseLogger } from 'fastify';
import type { Checksum } from '#bus';
import { AppError, copyBytes, youngHeap } from '#kernel';
import type { MetricClocks } from '../build/index.ts';
import type { Signal } from '../wire/index.ts';
import { type BuildAnswer, type BuildRequest, DamagedMessage, MESSAGE_NUMBERS, type ToStoreThread } from './messages.ts';

const ENTRY = join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'worker.ts' : 'otlp-store-worker.js');

/** Points are built in JavaScript: with less they cost 2 % more. */
const SEMI_SPACE_MB = 4;

/** Memory that batches were copied into and that is kept for the next. */
const MAX_IDLE = 2;
const MIN_BYTES = 1 << 20;
const DEFAULT_DAYS: MetricClocks = { application: 30, host: 30, flow: 30 };

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

/** Blocks of one batch. `done` is to be called once, whatever became of them: it tells the builder and gives the memory back. */
export interface BuiltBatch extends Pick<BuildAnswer, 'blocks' | 'counts' | 'refused'> {
  done(stored: boolean): void;
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
    const started = new Worker(ENTRY, { name: 'otlp-store', workerData: metricDays, resourceLimits: youngHeap(SEMI_SPACE_MB) });
    started.on('message', (answer: BuildAnswer) => {
      const asked = waiting.get(answer.id);
      waiting.delete(answer.id);
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
    async build(batch) {
      const { messages, release } = share(idle, batch.messages);
      worker ??= start();
      const thread = worker;
      const id = builds++;
      const request = toRequest(batch, messages, id);
      const { blocks, counts, refused } = await new Promise<BuildAnswer>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        thread.postMessage(request);
      });
      release();
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
