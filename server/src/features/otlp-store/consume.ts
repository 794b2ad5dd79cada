import { setTimeout as sleep } from 'node:timers/promises';
import { TOPICS, type Topic } from '@svc/contracts/bus-topics';
import { addCounts, type BuildCounts, type SeriesReport } from '@svc/otlp-wire/rows';
import type { Signal } from '@svc/otlp-wire/walk';
import type { FastifyBaseLogger } from 'fastify';
import { type BatchHandler, type BusBatch, type BusMessage, isTransient } from '#bus';
import { AppError, createNeighbours, type TenantId } from '#kernel';
import type { WriteClaim } from '#telemetry';
import { type BatchPart, buildParts } from './build-parts.ts';
import { DamagedMessage } from './messages.ts';
import type { BlockStore } from './offset-reader.ts';
import { createSlots } from './slots.ts';
import { createStoredOffsets, type Found, keyOf, type StoredDays, type StoredOffsets } from './stored-offsets.ts';
import type { BuildThread } from './thread.ts';

export const SIGNALS: ReadonlyMap<Topic, Signal> = new Map([
  [TOPICS.otlpTraces, 'traces'],
  [TOPICS.otlpLogs, 'logs'],
  [TOPICS.otlpMetrics, 'metrics'],
]);

/** One batch is built while another is inserted; more would only hold memory. */
const AT_ONCE = 2;
const OURS_AGAIN_MS = 20;
/** A tenant that brings less in a batch shares its block with others: a part of the store costs more than these rows. */
const LARGE_BYTES = 1024 * 1024;

/** What became of records, by signal and tenant; `refused` counts messages of the bus that are no request of ours and were set aside, by signal. */
export interface StoreCounters {
  tenants: Map<Signal, Map<string, BuildCounts>>;
  refused: Map<Signal, number>;
  /** Milliseconds that inserts took, and how many there were. */
  insertMs: number;
  inserts: number;
}

const newCounters = (): StoreCounters => ({
  tenants: new Map([...SIGNALS.values()].map((signal) => [signal, new Map()])),
  refused: new Map([...SIGNALS.values()].map((signal) => [signal, 0])),
  insertMs: 0,
  inserts: 0,
});

export interface StoreConsumer {
  handle: BatchHandler;
  counters: StoreCounters;
  /** Signals of which the last batch could not be stored. */
  readonly failing: ReadonlySet<Signal>;
}

/** The newest rows of a batch, of a tenant that brings much, that can be read now. */
export interface StoredNewest {
  signal: Signal;
  tenant: TenantId;
  /** Unix ms on the clock of the host that received them. */
  receivedAtMs: number;
  /** As that receiver put it down; undefined where it put down none. */
  receipt: string | undefined;
  /** Other tenants' messages came over the same partition lately. */
  isBesideOthers: boolean;
}

interface Deps {
  store: BlockStore;
  thread: BuildThread;
  /** Called for each large tenant of a batch and each receiver of its messages, once their rows can be read. */
  noteStored?: (stored: StoredNewest) => void;
  /** Told what became of series, once their points are stored. */
  noteSeries?: (reports: readonly SeriesReport[]) => void;
  log: FastifyBaseLogger;
}

interface Begun {
  find: (() => Promise<Found>) | undefined;
  ends: AbortSignal;
}

const writerOf = (signal: Signal, partition: number): string => `otlp-${signal}-${partition}`;

/** Unix ms of the message's receipt, as its receiver put it down; undefined for what is not of our receiver. */
function receivedAt({ headers }: BusMessage): number | undefined {
  const at = Number(headers.at);
  return Number.isSafeInteger(at) && at > 0 ? at : undefined;
}

/** Bytes that the message is charged to its tenant; its own where its receiver put down no more. */
function chargeOf({ headers, value }: BusMessage): number {
  const charge = headers.charge === undefined ? 0 : Number(headers.charge);
  return Number.isSafeInteger(charge) ? Math.max(charge, value.length) : value.length;
}

/** The partition goes to another process, the bus gave what is damaged, or the batch itself may be at fault: the store is well. */
const isNoFault = (cause: unknown): boolean =>
  cause instanceof DamagedMessage || (cause instanceof AppError && cause.code === 'conflict') || !isTransient(cause);

/** Waits while the group may be giving the partition to another process; rejects when it did: we leave its claim alone then. */
async function ensureOurs({ isOurs }: BusBatch, ends: AbortSignal): Promise<void> {
  if (!isOurs) return;
  while (!ends.aborted && !isOurs()) await sleep(OURS_AGAIN_MS);
  ends.throwIfAborted();
}

function largeTenants(messages: readonly BusMessage[]): ReadonlySet<string> {
  const bytes = new Map<string, number>();
  for (const message of messages) bytes.set(message.tenant, (bytes.get(message.tenant) ?? 0) + chargeOf(message));
  return new Set([...bytes].filter(([, size]) => size >= LARGE_BYTES).map(([tenant]) => tenant));
}

function toBuild({ messages, partition }: BusBatch, signal: Signal, stored: StoredDays) {
  const large = largeTenants(messages);
  const wanted = messages.flatMap((message) => {
    const at = receivedAt(message);
    const { tenant, value, offset, checksum } = message;
    // It may be damaged: then it comes again, or is left out.
    if (at === undefined && checksum) throw new DamagedMessage();
    if (at === undefined) return [];
    const days = stored.size > 0 ? stored.get(keyOf(tenant, offset, at)) : undefined;
    return [
      { tenant, value, offset, at, large: large.has(tenant), ...(checksum && { checksum }), ...(days && { stored: days }) },
    ];
  });
  return { signal, partition, messages: wanted };
}

/** What is before the time in a receipt: who put it down. */
const receiverOf = (receipt = ''): string => receipt.slice(0, receipt.lastIndexOf('/') + 1);

/** The last message of each tenant that brings much, of each of its receivers. */
function newestOfLarge({ messages }: BusBatch): Iterable<BusMessage> {
  const large = largeTenants(messages);
  const newest = new Map<string, BusMessage>();
  if (large.size === 0) return newest.values();
  for (const message of messages)
    if (large.has(message.tenant)) newest.set(`${message.tenant} ${receiverOf(message.headers.receipt)}`, message);
  return newest.values();
}

/** Whether others send over a partition, too. */
function createCompany() {
  const partitions = new Map<string, ReturnType<typeof createNeighbours>>();
  return ({ topic, partition, messages }: BusBatch): ((tenant: TenantId) => boolean) => {
    const key = `${topic} ${partition}`;
    const neighbours = partitions.get(key) ?? createNeighbours();
    partitions.set(key, neighbours);
    for (const tenant of new Set(messages.map((message) => message.tenant))) neighbours.note(tenant);
    return neighbours.areThereFor;
  };
}

/** Messages of a batch that are no request of our receiver; nearly always none. */
function foreignOf({ messages }: BusBatch, wanted: ReturnType<typeof toBuild>, refused: readonly number[]): BusMessage[] {
  if (refused.length === 0 && wanted.messages.length === messages.length) return [];
  const offsets = new Set(refused.map((place) => wanted.messages[place]?.offset));
  return messages.filter((message) => receivedAt(message) === undefined || offsets.has(message.offset));
}

interface Whose {
  signal: Signal;
  batch: BusBatch;
  counters: StoreCounters;
  log: FastifyBaseLogger;
}

/** Sets aside what is no request of ours, before the memory that it lies in is given back. */
async function setAside(foreign: readonly BusMessage[], { signal, batch, counters, log }: Whose): Promise<void> {
  if (foreign.length === 0) return;
  await batch.setAside?.(foreign, 'not_otlp');
  const before = counters.refused.get(signal) ?? 0;
  counters.refused.set(signal, before + foreign.length);
  const { topic, partition } = batch;
  if (before === 0)
    log.warn({ topic, partition, refused: foreign.length }, 'messages on the bus are no OTLP requests of our receiver');
}

interface Inserting {
  store: BlockStore;
  claim: WriteClaim | undefined;
  counters: StoreCounters;
  /** Resolves when the next block may be written. */
  ready: () => Promise<void>;
}

async function insert({ blocks, done }: BatchPart, { store, claim, counters, ready }: Inserting): Promise<void> {
  let stored = false;
  try {
    for (const { table, rows, columns, bytes } of blocks) {
      await ready();
      const began = performance.now();
      await store.writeEncoded({
        table,
        rows,
        columns,
        bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        claim,
      });
      counters.insertMs += performance.now() - began;
      counters.inserts++;
    }
    stored = true;
  } finally {
    done(stored);
  }
}

/**
 * Bus -> blocks -> column store. A handler resolves when all rows of its batch are stored. What was stored before (a batch may come again,
 * perhaps cut differently) is left out, message by message and day by day, because that is what the store writes whole or not at all.
 */
export function createStoreConsumer({ store, thread, noteStored, noteSeries, log }: Deps): StoreConsumer {
  const offsets: Partial<Record<Signal, StoredOffsets>> = {
    traces: createStoredOffsets(store, 'spans', (partition) => writerOf('traces', partition)),
    logs: createStoredOffsets(store, 'logs', (partition) => writerOf('logs', partition)),
  };
  const slots = createSlots(AT_ONCE);
  const failing = new Set<Signal>();
  const counters = newCounters();
  const noteCompany = createCompany();

  function noteNewest(signal: Signal, batch: BusBatch, areOthersThere: (tenant: TenantId) => boolean): void {
    for (const message of newestOfLarge(batch)) {
      const { tenant, headers } = message;
      const receivedAtMs = receivedAt(message);
      if (receivedAtMs === undefined) continue;
      noteStored?.({ signal, tenant, receivedAtMs, receipt: headers.receipt, isBesideOthers: areOthersThere(tenant) });
    }
  }

  async function storeBatch(signal: Signal, batch: BusBatch, { find, ends }: Begun): Promise<void> {
    const areOthersThere = noteCompany(batch);
    await ensureOurs(batch, ends);
    const found = await find?.();
    const wanted = toBuild(batch, signal, found?.stored ?? new Map());
    ends.throwIfAborted();
    const refused: number[] = [];
    let aside: Promise<void> | undefined;
    for await (const built of buildParts(thread, wanted)) {
      refused.push(...built.refused);
      if (built.isLast) {
        aside = setAside(foreignOf(batch, wanted, refused), { signal, batch, counters, log });
        // It is waited for below.
        aside.catch(() => undefined);
        batch.release?.();
      }
      await insert(built, { store, claim: found?.claim, counters, ready: () => ensureOurs(batch, ends) });
      addCounts(counters.tenants.get(signal) ?? new Map(), built.counts);
      if (built.series?.reports.length) noteSeries?.(built.series.reports);
    }
    await aside;
    noteNewest(signal, batch, areOthersThere);
  }

  const handle: BatchHandler = async (batch, ends) => {
    const signal = SIGNALS.get(batch.topic);
    if (signal === undefined) throw new Error(`Nothing stores ${batch.topic}.`);
    const bytes = batch.messages.reduce((sum, message) => sum + chargeOf(message), 0);
    const find = offsets[signal]?.begin(batch, ends);
    try {
      await slots.use(bytes, () => storeBatch(signal, batch, { find, ends }));
      failing.delete(signal);
    } catch (cause) {
      offsets[signal]?.doubt(batch.partition);
      if (ends.aborted || isNoFault(cause)) throw cause;
      const { topic, partition } = batch;
      if (!failing.has(signal))
        log.warn({ err: cause, topic, partition }, 'OTLP data cannot be stored for now: it waits on the bus');
      failing.add(signal);
      throw cause;
    }
  };
  return { handle, counters, failing };
}
