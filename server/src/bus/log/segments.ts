import { join } from 'node:path';
import type { LogFile, LogFiles } from './files.ts';

/** One file of a topic's log; it holds the positions from `base` up to `end`. */
export interface Segment {
  base: number;
  /** End of what is durable. */
  end: number;
  file: LogFile;
}

/** A topic's files in order; the last one is written. */
export interface Segments {
  readonly files: LogFiles;
  readonly folder: string;
  readonly segmentBytes: number;
  list: Segment[];
  /** A write failed: what stands behind the durable end must go before the next one. */
  broken: boolean;
  /** Names of files that are no longer needed and wait to be written again: their blocks are there, and the kernel's memory for them. */
  spares: string[];
  /** Ends when nobody lets go of files: one after the other, oldest first. */
  removing: Promise<unknown>;
  /** Files that went since the start, and how many of them a cut of power can no longer bring back. */
  gone: number;
  goneForGood: number;
}

/** Under load readers are a few files behind the writer, and let go of several at once. */
const MAX_SPARES = 4;
const SPARE = 'spare-';
const SUFFIX = '.log';
const hexOf = (base: number): string => base.toString(16).padStart(12, '0');
const nameOf = (base: number): string => hexOf(base) + SUFFIX;

export const activeOf = (segments: Segments): Segment => segments.list.at(-1) as Segment;
export const endOf = (segments: Segments): number => activeOf(segments).end;
export const oldestOf = (segments: Segments): number => (segments.list[0] as Segment).base;
export const bytesOf = (segments: Segments): number =>
  segments.list.reduce((sum, segment) => sum + segment.end - segment.base, 0);

/** The file of a new segment. What a spare one still holds never passes for records here: they tell their own place. */
async function openNew(segments: Segments, path: string): Promise<LogFile> {
  const spare = segments.spares.pop();
  if (spare === undefined) return segments.files.open(path, 'truncate');
  await segments.files.rename(join(segments.folder, spare), path);
  return segments.files.open(path, 'existing');
}

/** Makes the names in the folder durable, those that went among them. */
async function syncNames(segments: Segments): Promise<void> {
  const { gone } = segments;
  await segments.files.syncFolder(segments.folder);
  segments.goneForGood = Math.max(segments.goneForGood, gone);
}

async function addSegment(segments: Segments, base: number): Promise<void> {
  const file = await openNew(segments, join(segments.folder, nameOf(base)));
  try {
    await syncNames(segments);
  } catch (err) {
    await file.close();
    throw err;
  }
  segments.list.push({ base, end: base, file });
}

/** Opens what is there, longest believable extent first; `recover` then says where the last one really ends. */
export async function openSegments(files: LogFiles, folder: string, segmentBytes: number): Promise<Segments> {
  const names = await files.list(folder);
  const bases = names
    .filter((name) => /^[0-9a-f]{12}\.log$/.test(name))
    .map((name) => Number.parseInt(name, 16))
    .sort((a, b) => a - b);
  const spares = names.filter((name) => name.startsWith(SPARE));
  const removals = { removing: Promise.resolve(), gone: 0, goneForGood: 0 };
  const segments: Segments = { files, folder, segmentBytes, list: [], broken: false, spares, ...removals };
  for (const [index, base] of bases.entries()) {
    const file = await files.open(join(folder, nameOf(base)), 'existing');
    segments.list.push({ base, end: Math.min(base + (await file.size()), bases[index + 1] ?? Number.POSITIVE_INFINITY), file });
  }
  if (segments.list.length === 0) await addSegment(segments, 0);
  return segments;
}

/** Begins a new file, unless the active one is still empty. */
export async function rollSegment(segments: Segments): Promise<void> {
  const active = activeOf(segments);
  if (active.end > active.base) await addSegment(segments, active.end);
}

/** Cuts the active file at its durable end, durably, and goes on in a new one. */
export async function cutTail(segments: Segments): Promise<void> {
  const active = activeOf(segments);
  await active.file.truncate(active.end - active.base);
  await active.file.sync();
  await rollSegment(segments);
  segments.broken = false;
}

/** Where in its file the next append goes, after what has to be done before it. */
export async function readyToAppend(segments: Segments): Promise<number> {
  if (segments.broken) await cutTail(segments);
  if (endOf(segments) - activeOf(segments).base >= segments.segmentBytes) await rollSegment(segments);
  const { base, end } = activeOf(segments);
  return end - base;
}

/** Writes durably after `readyToAppend`; on failure nothing of it is readable, and the next append first repairs. */
export async function appendToSegments(segments: Segments, buffers: readonly Buffer[], bytes: number): Promise<void> {
  const active = activeOf(segments);
  try {
    await active.file.write(buffers, active.end - active.base);
  } catch (err) {
    segments.broken = true;
    throw err;
  }
  active.end += bytes;
}

async function letGo(segments: Segments, { base, end }: Segment): Promise<void> {
  const path = join(segments.folder, nameOf(base));
  if (segments.spares.length >= MAX_SPARES || end - base < segments.segmentBytes) await segments.files.remove(path);
  else {
    const spare = SPARE + hexOf(base);
    await segments.files.rename(path, join(segments.folder, spare));
    segments.spares.push(spare);
  }
  segments.gone++;
}

/**
 * None goes before the one in front of it is gone for good: between two files that a cut of power leaves, none may be missing. What an earlier
 * life left behind the end of the first would pass for damage.
 */
async function removeFiles(segments: Segments, position: number, freed: (bytes: number) => void): Promise<void> {
  while (segments.list.length > 1 && (segments.list[0] as Segment).end <= position) {
    if (segments.gone > segments.goneForGood) await syncNames(segments);
    const segment = segments.list.shift() as Segment;
    await segment.file.close();
    await letGo(segments, segment);
    freed(segment.end - segment.base);
  }
}

/** Removes the files that lie wholly below `position`; the active one stays. `freed` is told the bytes of each that is gone. */
export function removeBelow(segments: Segments, position: number, freed: (bytes: number) => void): Promise<void> {
  const removed = segments.removing.then(() => removeFiles(segments, position, freed));
  segments.removing = removed.catch(() => undefined);
  return removed;
}

const segmentAt = (segments: Segments, position: number): Segment | undefined =>
  segments.list.find((candidate) => position < candidate.end);

/** Where in its file the position is. */
export const placeOf = (segments: Segments, position: number): number =>
  Math.max(0, position - (segmentAt(segments, position)?.base ?? position));

/** The durable bytes from `position` on: at most `buffer.length`, within one file. 0 at the end. */
export async function readSegments(segments: Segments, position: number, buffer: Buffer): Promise<number> {
  const segment = segmentAt(segments, position);
  if (!segment || position < segment.base) return 0;
  const room = Math.min(buffer.length, segment.end - position);
  return segment.file.read(buffer.subarray(0, room), position - segment.base);
}

/** What an earlier life left behind the end of a file that is written again: the next start would look it through and cut it with a warning. */
export async function cutRemains(segments: Segments): Promise<void> {
  const { base, end, file } = activeOf(segments);
  await file.truncate(end - base);
}

export async function closeSegments(segments: Segments): Promise<void> {
  for (const segment of segments.list) await segment.file.close();
}
