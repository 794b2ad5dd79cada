import { type FileHandle, open, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeFrames, encodeFrames, FRAME_BYTES } from './frames.ts';
import { createSegment, openSegments, removeSegment, type Segment, segmentPath } from './segments.ts';
import type { Spool, SpooledBatch, SpoolMark } from './spool.ts';

export interface DiskSpoolOptions {
  directory: string;
  /** All segments together. */
  maxBytes: number;
  /** One file; default a sixteenth of the whole. */
  segmentBytes?: number;
}

interface Disk {
  options: Required<DiskSpoolOptions>;
  segments: Segment[];
  /** The last segment's file; the only one that is written. */
  active: FileHandle;
  acked: SpoolMark;
  read: SpoolMark;
  dropped: number;
  diskFull: boolean;
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
const start = (segment: number): SpoolMark => ({ segment, offset: 0, records: 0 });
const newest = (disk: Disk): Segment => disk.segments.at(-1) as Segment;
const isBehind = (a: SpoolMark, b: SpoolMark): boolean =>
  a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset);
const markFile = (disk: Pick<Disk, 'options'>): string => join(disk.options.directory, 'acked.json');

/** Not synced: after a crash an older mark only means that some results are sent again, which storing them survives. */
async function saveMark(disk: Disk): Promise<void> {
  const temporary = `${markFile(disk)}.new`;
  try {
    await writeFile(temporary, JSON.stringify({ ...disk.acked, dropped: disk.dropped }), { mode: 0o600 });
    await rename(temporary, markFile(disk));
  } catch (error) {
    if (!isFull(error)) throw error;
    disk.diskFull = true;
  }
}

async function loadMark(options: DiskSpoolOptions): Promise<{ mark: SpoolMark; dropped: number }> {
  try {
    const saved = JSON.parse(await readFile(markFile({ options: options as Required<DiskSpoolOptions> }), 'utf8'));
    const numbers = [saved.segment, saved.offset, saved.records, saved.dropped];
    if (numbers.every((n) => Number.isSafeInteger(n) && n >= 0))
      return { mark: { segment: saved.segment, offset: saved.offset, records: saved.records }, dropped: saved.dropped };
  } catch {
    // Missing or half-written: everything that is there counts as not acknowledged.
  }
  return { mark: start(0), dropped: 0 };
}

const waitingIn = (disk: Disk, segment: Segment): number =>
  segment.id < disk.acked.segment ? 0 : segment.records - (segment.id === disk.acked.segment ? disk.acked.records : 0);
const waiting = (disk: Disk): number => disk.segments.reduce((sum, segment) => sum + waitingIn(disk, segment), 0);
const totalBytes = (disk: Disk): number => disk.segments.reduce((sum, segment) => sum + segment.bytes, 0);

/** Removes the oldest closed segment; what waited in it is lost and counted. False when only the written one is left. */
async function dropOldest(disk: Disk): Promise<boolean> {
  if (disk.segments.length < 2) return false;
  const oldest = disk.segments.shift() as Segment;
  disk.dropped += waitingIn(disk, oldest);
  await removeSegment(disk.options.directory, oldest.id);
  const next = start((disk.segments[0] as Segment).id);
  if (isBehind(disk.acked, next)) disk.acked = next;
  if (isBehind(disk.read, next)) disk.read = next;
  await saveMark(disk);
  return true;
}

async function rotate(disk: Disk): Promise<void> {
  const { segment, handle } = await createSegment(disk.options.directory, newest(disk).id + 1);
  await disk.active.close();
  disk.active = handle;
  disk.segments.push(segment);
}

async function write(disk: Disk, frames: Buffer, records: number): Promise<void> {
  if (newest(disk).records > 0 && newest(disk).bytes + frames.length > disk.options.segmentBytes) await rotate(disk);
  const segment = newest(disk);
  let written = 0;
  while (written < frames.length) {
    const part = await disk.active.write(frames, written, frames.length - written, segment.bytes + written);
    written += part.bytesWritten;
  }
  await disk.active.datasync();
  segment.bytes += frames.length;
  segment.records += records;
}

async function append(disk: Disk, records: readonly Uint8Array[]): Promise<void> {
  if (records.length === 0) return;
  const frames = encodeFrames(records);
  while (totalBytes(disk) + frames.length > disk.options.maxBytes) if (!(await dropOldest(disk))) break;
  disk.diskFull = false;
  for (;;) {
    try {
      await write(disk, frames, records.length);
      return;
    } catch (error) {
      if (!isFull(error)) throw error;
      disk.diskFull = true;
      await disk.active.truncate(newest(disk).bytes);
      if (await dropOldest(disk)) continue;
      disk.dropped += records.length;
      return;
    }
  }
}

async function readAt(disk: Disk, mark: SpoolMark, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  const isActive = mark.segment === newest(disk).id;
  const handle = isActive ? disk.active : await open(segmentPath(disk.options.directory, mark.segment), 'r');
  try {
    const { bytesRead } = await handle.read(bytes, 0, length, mark.offset);
    return bytes.subarray(0, bytesRead);
  } finally {
    if (!isActive) await handle.close();
  }
}

/** A damaged or vanished segment is given up from there on, and counted: one bad sector must not stop the spool for good. */
function skipRest(disk: Disk, segment: Segment): void {
  disk.dropped += segment.records - disk.read.records;
  disk.read = { segment: segment.id, offset: segment.bytes, records: segment.records };
}

async function next(disk: Disk, bounds: { results: number; bytes: number }): Promise<SpooledBatch | undefined> {
  for (const segment of disk.segments) {
    if (segment.id < disk.read.segment) continue;
    if (segment.id > disk.read.segment) disk.read = start(segment.id);
    const left = segment.bytes - disk.read.offset;
    if (left <= 0) continue;
    let content = await readAt(disk, disk.read, Math.min(left, bounds.bytes + bounds.results * FRAME_BYTES));
    let decoded = decodeFrames(content, bounds.results);
    if (decoded.records.length === 0 && !decoded.corrupt && content.length < left) {
      // One record larger than the bound: it goes alone.
      content = await readAt(disk, disk.read, left);
      decoded = decodeFrames(content, 1);
    }
    if (decoded.records.length === 0) {
      skipRest(disk, segment);
      continue;
    }
    const { offset, records } = disk.read;
    disk.read = { segment: segment.id, offset: offset + decoded.bytes, records: records + decoded.records.length };
    return { records: decoded.records, end: { ...disk.read } };
  }
  return undefined;
}

async function ack(disk: Disk, end: SpoolMark): Promise<void> {
  if (!isBehind(disk.acked, end)) return;
  disk.acked = end;
  while (disk.segments.length > 1 && (disk.segments[0] as Segment).id < end.segment) {
    await removeSegment(disk.options.directory, (disk.segments.shift() as Segment).id);
  }
  const last = newest(disk);
  // All is sent: the file does not have to wait until it is full.
  if (last.id === end.segment && last.bytes === end.offset && last.bytes > disk.options.segmentBytes / 4) {
    await rotate(disk);
    disk.segments.shift();
    await removeSegment(disk.options.directory, last.id);
    disk.acked = start(newest(disk).id);
    disk.read = start(newest(disk).id);
  }
  await saveMark(disk);
}

/** Opens or makes a spool in a directory of its own (0700); one process at a time. Throws the file system's error otherwise. */
export async function openDiskSpool(given: DiskSpoolOptions): Promise<Spool> {
  const options = { segmentBytes: Math.max(64 * 1024, Math.floor(given.maxBytes / 16)), ...given };
  const segments = await openSegments(options.directory);
  const { mark, dropped } = await loadMark(options);
  const { segment, handle } = await createSegment(options.directory, Math.max(mark.segment, segments.at(-1)?.id ?? 0) + 1);
  segments.push(segment);
  const first = start((segments[0] as Segment).id);
  const known = segments.find((one) => one.id === mark.segment);
  // A mark beyond what survived the crash: the file was cut, and nothing behind the cut was ever handed out.
  const acked = known && mark.offset > known.bytes ? { segment: known.id, offset: known.bytes, records: known.records } : mark;
  const from = isBehind(acked, first) ? first : acked;
  const disk: Disk = { options, segments, active: handle, acked: from, read: { ...from }, dropped, diskFull: false };
  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };
  return {
    append: (records) => inTurn(() => append(disk, records)),
    next: (bounds) => inTurn(() => next(disk, bounds)),
    ack: (end) => inTurn(() => ack(disk, end)),
    rewind: () =>
      inTurn(async () => {
        disk.read = { ...disk.acked };
      }),
    status: () => ({ results: waiting(disk), bytes: totalBytes(disk), dropped: disk.dropped, diskFull: disk.diskFull }),
    close: () => inTurn(() => disk.active.close()),
  };
}
