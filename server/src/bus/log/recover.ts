import { BLOCK_BYTES } from './files.ts';
import { type Chunk, HEADER_BYTES, isIntact, walkRecords } from './record.ts';
import { activeOf, cutTail, rollSegment, type Segment, type Segments } from './segments.ts';

const READ_BYTES = 1024 * 1024;

export interface RecoveryVisitor {
  beginSegment(base: number): void;
  record(chunk: Chunk, at: number, length: number): void;
  /** Bytes in the middle of the log that are no records. */
  damaged(bytes: number): void;
}

/** First index after `at` where a record's header for that place may stand; the chunk's end when none does. */
export function resync(chunk: Chunk, at: number): number {
  const { buffer, base } = chunk;
  for (let next = at + 1; next + HEADER_BYTES <= buffer.length; next++) {
    if (buffer[next + 14] === 0xb1 && buffer.readUIntLE(next + 8, 6) === base + next) return next;
  }
  return Math.max(at + 1, buffer.length - HEADER_BYTES + 1);
}

/** Walks one file; the position behind its last whole record, or where it is damaged when `checked`. */
async function scanSegment(segment: Segment, checked: boolean, visitor: RecoveryVisitor): Promise<number> {
  let buffer = Buffer.allocUnsafeSlow(READ_BYTES);
  let position = segment.base;
  while (position < segment.end) {
    const wanted = Math.min(buffer.length, segment.end - position);
    const got = await segment.file.read(buffer.subarray(0, wanted), position - segment.base);
    const chunk: Chunk = { buffer: buffer.subarray(0, got), base: position, trusted: !checked };
    const end = walkRecords(chunk, 0, (at, length) => {
      if (!isIntact(chunk, at, length)) return 'damaged';
      visitor.record(chunk, at, length);
      return 'next';
    });
    position += end.at;
    if (end.why === 'more' && end.at > 0) continue;
    const fits = end.why === 'more' && position + end.need <= segment.end && got === wanted && end.need > buffer.length;
    if (fits) buffer = Buffer.allocUnsafeSlow(end.need);
    else if (checked) return position;
    else {
      const skipped = Math.min(resync(chunk, end.at) - end.at, segment.end - position);
      visitor.damaged(skipped);
      position += skipped;
    }
  }
  return position;
}

/** Zeros to the end of a block are behind what was written in blocks: nothing was begun there, and the next write covers them. */
async function isPadding({ base, end, file }: Segment, position: number): Promise<boolean> {
  if (end - position >= BLOCK_BYTES) return false;
  const behind = Buffer.alloc(end - position, 1);
  await file.read(behind, position - base);
  return behind.every((byte) => byte === 0);
}

/**
 * Reads the log through after a start. Files before the last were complete and synced before the next one began; the last one is
 * checked record by record and cut, durably, at the first that is not whole. Returns the bytes cut.
 */
export async function recoverSegments(segments: Segments, visitor: RecoveryVisitor): Promise<number> {
  const last = activeOf(segments);
  for (const segment of segments.list) {
    visitor.beginSegment(segment.base);
    const end = await scanSegment(segment, segment === last, visitor);
    if (segment !== last) continue;
    const cut = (await isPadding(segment, end)) ? 0 : segment.end - end;
    segment.end = end;
    if (cut > 0) await cutTail(segments);
    else if (segment.end - segment.base >= segments.segmentBytes) await rollSegment(segments);
    return cut;
  }
  return 0;
}
