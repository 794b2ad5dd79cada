import type { Taken } from '../deliver.ts';
import type { BusMessage } from '../port.ts';
import { type Chunk, decodeRecord, hashAt, isIntact, valueBytesAt, type WalkEnd, walkRecords } from './record.ts';
import { resync } from './recover.ts';
import { endOf, readSegments } from './segments.ts';
import { partitionOfHash, type TopicLog } from './topic-log.ts';

const READ_BYTES = 256 * 1024;
/** Chunks looked through in one take: foreign partitions may fill many, and others want the thread too. */
const CHUNKS_A_TAKE = 64;

export interface TakeRequest {
  from: number;
  partition: number;
  maxMessages: number;
  maxBytes: number;
}

/** The chunk in memory that holds the position, by binary search; undefined when it is older than all. */
function chunkInMemory(log: TopicLog, position: number): Chunk | undefined {
  const { tail } = log;
  let low = 0;
  let high = tail.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((tail[middle] as Chunk).base <= position) low = middle;
    else high = middle - 1;
  }
  const chunk = tail[low];
  return chunk && chunk.base <= position && position < chunk.base + chunk.buffer.length ? chunk : undefined;
}

async function chunkFromDisk(log: TopicLog, position: number, bytes: number): Promise<Chunk> {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  const got = await readSegments(log.segments, position, buffer);
  return { buffer: buffer.subarray(0, got), base: position, trusted: false };
}

/** Copies the picked records' messages out of the chunk into memory of exactly their size. */
function copyOut(chunk: Chunk, picked: readonly number[], into: BusMessage[]): void {
  const bytes = picked.reduce((sum, at) => sum + valueBytesAt(chunk, at), 0);
  const slab = { buffer: Buffer.allocUnsafeSlow(bytes), used: 0 };
  for (const at of picked) into.push(decodeRecord(chunk, at, slab));
}

function pick(chunk: Chunk, request: TakeRequest, taken: Taken): WalkEnd {
  const picked: number[] = [];
  const end = walkRecords(chunk, taken.next - chunk.base, (at, length) => {
    if (partitionOfHash(hashAt(chunk, at)) !== request.partition) return 'next';
    const count = taken.messages.length + picked.length;
    if (count >= request.maxMessages || (count > 0 && taken.bytes + length > request.maxBytes)) return 'stop';
    if (!isIntact(chunk, at, length)) return 'damaged';
    picked.push(at);
    taken.bytes += length;
    return 'next';
  });
  copyOut(chunk, picked, taken.messages);
  taken.next = chunk.base + end.at;
  return end;
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

/** Messages of one partition from `from` on, as far as they are durable; from memory when they are new, else from disk. */
export async function takeMessages(log: TopicLog, request: TakeRequest): Promise<Taken> {
  const taken: Taken = { messages: [], bytes: 0, next: request.from };
  let wanted = READ_BYTES;
  for (let chunks = 0; chunks < CHUNKS_A_TAKE && taken.next < endOf(log.segments); chunks++) {
    const chunk = chunkInMemory(log, taken.next) ?? (await chunkFromDisk(log, taken.next, wanted));
    if (chunk.buffer.length === 0) {
      taken.next += gapAt(log, taken.next);
      continue;
    }
    const before = taken.next;
    const end = pick(chunk, request, taken);
    if (end.why === 'stop') break;
    if (end.why === 'damaged') taken.next = skipDamage(log, chunk, end.at);
    else if (taken.next > before) wanted = READ_BYTES;
    else if (wanted < end.need && taken.next + end.need <= endOf(log.segments)) wanted = end.need;
    else taken.next = skipDamage(log, chunk, end.at);
  }
  return taken;
}
