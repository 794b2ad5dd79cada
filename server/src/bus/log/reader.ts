import { copyBytes } from '#kernel';
import type { Taken } from '../deliver.ts';
import type { BusMessage } from '../port.ts';
import { READ_BYTES } from './read-memory.ts';
import { type Chunk, decodeRecord, hashAt, isIntact, type WalkEnd, walkRecords } from './record.ts';
import { resync } from './recover.ts';
import { endOf, placeOf, readSegments } from './segments.ts';
import type { HeldChunk } from './tail.ts';
import { partitionOfHash, type TopicLog } from './topic-log.ts';

const LEAST_READ_BYTES = 256 * 1024;
/** Chunks looked through in one take: foreign partitions may fill many, and others want the thread too. */
const CHUNKS_A_TAKE = 64;

export interface TakeRequest {
  from: number;
  partition: number;
  maxMessages: number;
  maxBytes: number;
  /** Values may lie in memory that is used again once the taken is released. */
  lent: boolean;
  /** Checksums are left to the reader. */
  checks: boolean;
}

interface Taking {
  log: TopicLog;
  request: TakeRequest;
  taken: Taken;
}

/** Reads `bytes` at the position into lent memory. */
async function chunkFromDisk(log: TopicLog, position: number, bytes: number): Promise<HeldChunk> {
  const { readMemory } = log.settings;
  const memory = readMemory.lend(bytes, placeOf(log.segments, position));
  try {
    const got = await readSegments(log.segments, position, memory);
    const chunk = { buffer: memory.subarray(0, got), base: position, trusted: false };
    return { chunk, free: () => readMemory.giveBack(memory) };
  } catch (err) {
    readMemory.giveBack(memory);
    throw err;
  }
}

/** Adds the picked records' messages, their values copied into memory that `allocate` gives. */
function copyOut(found: readonly BusMessage[], into: BusMessage[], allocate: (bytes: number) => Buffer): void {
  const slab = allocate(found.reduce((sum, { value }) => sum + value.length, 0));
  let used = 0;
  for (const message of found) {
    const start = used;
    used = copyBytes(message.value, slab, start);
    into.push({ ...message, value: slab.subarray(start, used) });
  }
}

interface Picked extends WalkEnd {
  /** Indices of the records that are wanted, and their bytes. */
  records: number[];
  bytes: number;
}

function pick(taking: Taking, chunk: Chunk): Picked {
  const { request, taken } = taking;
  const records: number[] = [];
  let bytes = 0;
  const end = walkRecords(chunk, taken.next - chunk.base, (at, length) => {
    if (partitionOfHash(hashAt(chunk, at)) !== request.partition) return 'next';
    const count = taken.messages.length + records.length;
    if (count >= request.maxMessages || (count > 0 && taken.bytes + bytes + length > request.maxBytes)) return 'stop';
    if (!request.checks && !isIntact(chunk, at, length)) return 'damaged';
    records.push(at);
    bytes += length;
    return 'next';
  });
  // Where a length is wrong, whole records may lie within it: they are found again behind the first checksum that is wrong.
  if (end.why === 'damaged' && request.checks) return pick({ ...taking, request: { ...request, checks: false } }, chunk);
  return { ...end, records, bytes };
}

/** Puts what was picked into `taken`: as views of the chunk where the reader takes those and most of the chunk is its own. */
function put({ log, request, taken }: Taking, { chunk, free }: HeldChunk, picked: Picked): void {
  const { readMemory } = log.settings;
  taken.bytes += picked.bytes;
  const found = picked.records.map((at) => decodeRecord(chunk, at, request.checks));
  if (request.lent && picked.bytes > chunk.buffer.length / 2) {
    for (const message of found) taken.messages.push(message);
    taken.releases.push(free);
    return;
  }
  copyOut(found, taken.messages, (bytes) => {
    if (!request.lent) return Buffer.allocUnsafeSlow(bytes);
    const copy = readMemory.lend(bytes);
    taken.releases.push(() => readMemory.giveBack(copy));
    return copy;
  });
  free();
}

/** Steps over bytes that are no records: a disk's fault must not stop the rest. */
function skipDamage(log: TopicLog, chunk: Chunk, at: number): number {
  const bytes = resync(chunk, at) - at;
  if (log.damagedBytes === 0)
    log.settings.log.error({ topic: log.topic, position: chunk.base + at }, 'bus: the log is damaged here');
  log.damagedBytes += bytes;
  return chunk.base + at + bytes;
}

/** Bytes from `position` to the next file when no file holds it. */
function gapAt(log: TopicLog, position: number): number {
  const next = log.segments.list.find((segment) => segment.base > position);
  return (next?.base ?? endOf(log.segments)) - position;
}

/** What to read at `taken.next`: as far as the partition's own records and the request go. */
function bytesToRead({ log, request, taken }: Taking): number {
  const { partition, maxBytes } = request;
  const from = taken.next;
  let end = log.extents.next(from, partition)?.end ?? log.extents.end;
  for (let more = log.extents.next(end, partition); more?.base === end && end - from < READ_BYTES; ) {
    end = more.end;
    more = log.extents.next(end, partition);
  }
  const inMemory = log.tail.baseAfter(from) - from;
  return Math.min(end - from, inMemory, READ_BYTES, Math.max(maxBytes - taken.bytes, LEAST_READ_BYTES));
}

const readChunk = async (taking: Taking, need: number): Promise<HeldChunk> =>
  taking.log.tail.hold(taking.taken.next) ??
  (await chunkFromDisk(taking.log, taking.taken.next, Math.max(need, bytesToRead(taking))));

/** Takes out of one chunk. The bytes that the next one has to have where a single record is larger than this one, else 0; or the end. */
function takeChunk(taking: Taking, held: HeldChunk, needed: number): number | 'end' {
  const { log, taken } = taking;
  const { chunk } = held;
  const before = taken.next;
  const picked = pick(taking, chunk);
  taken.next = chunk.base + picked.at;
  const isStuck = picked.why === 'more' && taken.next === before;
  const fits = picked.need > needed && taken.next + picked.need <= log.extents.end;
  if (picked.why === 'damaged' || (isStuck && !fits)) taken.next = skipDamage(log, chunk, picked.at);
  put(taking, held, picked);
  if (picked.why === 'stop') return 'end';
  return isStuck && fits ? picked.need : 0;
}

async function takeChunks(taking: Taking): Promise<void> {
  const { log, request, taken } = taking;
  let need: number | 'end' = 0;
  for (let chunks = 0; chunks < CHUNKS_A_TAKE && need !== 'end'; chunks++) {
    if (need === 0) taken.next = log.extents.next(taken.next, request.partition)?.base ?? log.extents.end;
    if (taken.next >= log.extents.end) break;
    const held = await readChunk(taking, need);
    if (held.chunk.buffer.length > 0) need = takeChunk(taking, held, need);
    else {
      held.free();
      taken.next += gapAt(log, taken.next);
      need = 0;
    }
  }
}

/** Messages of one partition from `from` on, as far as they are durable; from memory when they are new, else from disk. */
export async function takeMessages(log: TopicLog, request: TakeRequest): Promise<Taken> {
  const taken: Taken = { messages: [], bytes: 0, next: request.from, releases: [] };
  try {
    await takeChunks({ log, request, taken });
    return taken;
  } catch (err) {
    for (const free of taken.releases) free();
    throw err;
  }
}
