import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { frame, readRecords, SegmentWriter } from './segment-file.ts';

/** Where a batch ends: everything before it may go once it is acknowledged. */
export interface SpoolEnd {
  segment: number;
  record: number;
}
export interface SpooledBatch {
  records: Buffer[];
  end: SpoolEnd;
}

/**
 * What waits for the server, oldest first, in files that outlive the process. Bounded: beyond it the oldest goes and is counted. Where the disk takes
 * nothing, a little is kept in memory until it does again. At least once: after a crash the rest of a file may be sent again, with the same ids.
 */
export interface Spool {
  append(record: Buffer): Promise<void>;
  /** What comes after what was given last; undefined where nothing waits. */
  next(bounds: { records: number; bytes: number }): Promise<SpooledBatch | undefined>;
  ack(end: SpoolEnd): Promise<void>;
  /** Begins again at what is not acknowledged; what was asked for before has no part in it. */
  rewind(): void;
  counts(): { records: number; bytes: number; dropped: number };
  close(): Promise<void>;
}

export interface SpoolOptions {
  folder: string;
  /** Of all files. */
  maxBytes?: number;
  segmentBytes?: number;
  /** Kept in memory where the disk takes nothing. */
  memoryBytes?: number;
  /** What the files are written with; tests put a disk without room in its place. */
  createSegment?: (path: string) => Promise<Pick<SegmentWriter, 'append' | 'sync' | 'close'>>;
}

interface Segment {
  id: number;
  bytes: number;
  records: number;
  /** From its beginning. */
  acked: number;
}

const SYNC_EVERY_MS = 1000;
/** Behind all files: what is in memory. */
const MEMORY = Number.MAX_SAFE_INTEGER;
const nameOf = (id: number): string => `${String(id).padStart(12, '0')}.reports`;

/** Opens the spool of a folder with what an earlier process left there. */
export async function openSpool(options: SpoolOptions): Promise<Spool> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const segments: Segment[] = [];
  for (const name of (await readdir(options.folder)).sort()) {
    const id = Number(/^(\d{12})\.reports$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(id)) continue;
    const path = join(options.folder, name);
    const records = (await readRecords(path)).length;
    if (records === 0) await rm(path, { force: true });
    else segments.push({ id, bytes: (await stat(path)).size, records, acked: 0 });
  }
  return createSpool(options, segments);
}

/** What the disk did not take. */
function createMemory(maxBytes: number) {
  let records: Buffer[] = [];
  let bytes = 0;
  return {
    list: (): readonly Buffer[] => records,
    bytes: (): number => bytes,
    /** Gives how many of the oldest went. */
    add(record: Buffer): number {
      records.push(record);
      bytes += record.length;
      let dropped = 0;
      for (; bytes > maxBytes && records.length > 1; dropped += 1) bytes -= (records.shift() as Buffer).length;
      return dropped;
    },
    take(count: number): void {
      for (const record of records.slice(0, count)) bytes -= record.length;
      records = records.slice(count);
    },
  };
}

/** Writes to the newest file; after a failure the next record begins another one. */
function createWriter(
  { folder, createSegment = SegmentWriter.create, segmentBytes = 1024 * 1024 }: SpoolOptions,
  segments: Segment[],
) {
  let open: { writer: Pick<SegmentWriter, 'append' | 'sync' | 'close'>; segment: Segment } | undefined;
  let nextId = (segments.at(-1)?.id ?? 0) + 1;
  const close = async (): Promise<void> => {
    await open?.writer.close();
    open = undefined;
  };
  return {
    isOpen: (id: number): boolean => open?.segment.id === id,
    close,
    sync: async (): Promise<void> => await open?.writer.sync().catch(() => {}),
    async write(record: Buffer): Promise<void> {
      const framed = frame(record);
      if (open && open.segment.bytes + framed.length > segmentBytes && open.segment.records > 0) await close();
      if (!open) {
        const segment = { id: nextId, bytes: 0, records: 0, acked: 0 };
        nextId += 1;
        open = { writer: await createSegment(join(folder, nameOf(segment.id))), segment };
        segments.push(segment);
      }
      try {
        await open.writer.append(framed);
        open.segment.bytes += framed.length;
        open.segment.records += 1;
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

interface Shared {
  segments: Segment[];
  memory: ReturnType<typeof createMemory>;
  writer: ReturnType<typeof createWriter>;
  dropped: number;
  cursor: SpoolEnd;
  /** Of the memory's records, how many are on their way to the server. */
  inMemoryGiven: number;
}

const fileBytes = ({ segments }: Shared): number => segments.reduce((sum, { bytes }) => sum + bytes, 0);

const createRemove =
  (folder: string, { segments, writer }: Shared) =>
  async (segment: Segment): Promise<void> => {
    if (writer.isOpen(segment.id)) await writer.close();
    segments.splice(segments.indexOf(segment), 1);
    await rm(join(folder, nameOf(segment.id)), { force: true }).catch(() => {});
  };
type Remove = ReturnType<typeof createRemove>;

/** What comes in. */
function createAppend(shared: Shared, maxBytes: number, remove: Remove) {
  const { segments, memory, writer } = shared;
  const makeRoom = async (): Promise<void> => {
    for (let oldest = segments[0]; oldest && segments.length > 1 && fileBytes(shared) > maxBytes; oldest = segments[0]) {
      shared.dropped += oldest.records - oldest.acked;
      await remove(oldest);
    }
  };
  return async (record: Buffer): Promise<void> => {
    try {
      // What waits in memory goes first, or order would be lost; what is on its way out of it stays there until it is acknowledged.
      if (shared.inMemoryGiven > 0) throw new Error('memory is being sent');
      for (const waiting of [...memory.list()]) {
        await writer.write(waiting);
        memory.take(1);
      }
      await writer.write(record);
    } catch {
      const gone = memory.add(record);
      shared.dropped += gone;
      shared.inMemoryGiven = Math.max(0, shared.inMemoryGiven - gone);
    }
    await makeRoom();
  };
}

type Bounds = { records: number; bytes: number };

function cutBatch(records: readonly Buffer[], bounds: Bounds): Buffer[] {
  const batch: Buffer[] = [];
  let bytes = 0;
  for (const record of records) {
    if (batch.length > 0 && (batch.length >= bounds.records || bytes + record.length > bounds.bytes)) break;
    batch.push(record);
    bytes += record.length;
  }
  return batch;
}

/** What goes out. */
function createGive(shared: Shared, folder: string, remove: Remove) {
  const { segments, memory } = shared;
  return {
    async next(bounds: Bounds): Promise<SpooledBatch | undefined> {
      for (const segment of [...segments]) {
        const { cursor } = shared;
        const from = segment.id === cursor.segment ? cursor.record : segment.acked;
        if (segment.id < cursor.segment || from >= segment.records) continue;
        const all = await readRecords(join(folder, nameOf(segment.id)));
        const records = cutBatch(all.slice(from, segment.records), bounds);
        if (records.length > 0) {
          shared.cursor = { segment: segment.id, record: from + records.length };
          return { records, end: shared.cursor };
        }
        // Unreadable now: the rest of the file is lost.
        shared.dropped += segment.records - from;
        segment.records = from;
      }
      const records = cutBatch(memory.list().slice(shared.inMemoryGiven), bounds);
      if (records.length === 0) return undefined;
      shared.inMemoryGiven += records.length;
      return { records, end: { segment: MEMORY, record: records.length } };
    },
    async ack(end: SpoolEnd): Promise<void> {
      if (end.segment === MEMORY) {
        memory.take(Math.min(end.record, shared.inMemoryGiven));
        shared.inMemoryGiven = Math.max(0, shared.inMemoryGiven - end.record);
        return;
      }
      for (const segment of [...segments]) {
        if (segment.id > end.segment) return;
        segment.acked = segment.id < end.segment ? segment.records : Math.max(segment.acked, end.record);
        if (segment.acked >= segment.records) await remove(segment);
      }
    },
  };
}

function createSpool(options: SpoolOptions, segments: Segment[]): Spool {
  const { folder, maxBytes = 64 * 1024 * 1024, memoryBytes = 4 * 1024 * 1024 } = options;
  const memory = createMemory(memoryBytes);
  const writer = createWriter(options, segments);
  const shared: Shared = { segments, memory, writer, dropped: 0, cursor: { segment: 0, record: 0 }, inMemoryGiven: 0 };
  const remove = createRemove(folder, shared);
  const append = createAppend(shared, maxBytes, remove);
  const give = createGive(shared, folder, remove);
  let turn: Promise<unknown> = Promise.resolve();
  /** One after the other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => {});
    return next;
  };
  const syncing = setInterval(() => void inTurn(writer.sync), SYNC_EVERY_MS).unref();
  return {
    append: (record) => inTurn(() => append(record)),
    next: (bounds) => inTurn(() => give.next(bounds)),
    ack: (end) => inTurn(() => give.ack(end)),
    rewind(): void {
      // After a batch that is read yet for a connection that has ended: it would be passed over, and go with the next acknowledgement.
      void inTurn(async () => {
        shared.cursor = { segment: 0, record: 0 };
        shared.inMemoryGiven = 0;
      });
    },
    counts: () => ({
      records: segments.reduce((sum, { records, acked }) => sum + records - acked, memory.list().length),
      bytes: fileBytes(shared) + memory.bytes(),
      dropped: shared.dropped,
    }),
    async close() {
      clearInterval(syncing);
      await inTurn(async () => {
        await writer.sync();
        await writer.close();
      });
    },
  };
}
