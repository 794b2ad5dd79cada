import { type FileHandle, open, readdir, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../make-directory.ts';
import { syncDirectory } from '../sync-directory.ts';
import { decodeFrames } from './frames.ts';

/** One append-only file of frames. */
export interface Segment {
  id: number;
  bytes: number;
  records: number;
}

const NAME = /^(\d{12})\.seg$/;
export const segmentPath = (directory: string, id: number): string => join(directory, `${String(id).padStart(12, '0')}.seg`);

/** Ids of a directory's segments, oldest first; none where there is no such directory. */
export async function listSegmentIds(directory: string): Promise<number[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const ids = names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
  return ids.sort((a, b) => a - b);
}

/** Finds the segments of a directory, oldest first, and cuts what a crash left half-written at the end of each. */
export async function openSegments(directory: string): Promise<Segment[]> {
  await makeDirectory(directory);
  const segments: Segment[] = [];
  for (const id of await listSegmentIds(directory)) {
    const content = await readFile(segmentPath(directory, id));
    const whole = decodeFrames(content, Number.POSITIVE_INFINITY);
    if (whole.bytes < content.length) {
      const handle = await open(segmentPath(directory, id), 'r+');
      await handle.truncate(whole.bytes);
      await handle.close();
    }
    segments.push({ id, bytes: whole.bytes, records: whole.records.length });
  }
  return segments;
}

export async function createSegment(directory: string, id: number): Promise<{ segment: Segment; handle: FileHandle }> {
  const handle = await open(segmentPath(directory, id), 'wx+', 0o600);
  await syncDirectory(directory);
  return { segment: { id, bytes: 0, records: 0 }, handle };
}

export async function removeSegment(directory: string, id: number): Promise<void> {
  await unlink(segmentPath(directory, id)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}
