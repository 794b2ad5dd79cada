import { createHash } from 'node:crypto';
import { type FileHandle, readFile, stat } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { messageOf } from '../agent-error.ts';
import type { Minimised } from '../privacy/minimise.ts';
import { decodeFrames, encodeFrames } from './frames.ts';
import { createSegment, listSegmentIds, openSegments, removeSegment, type Segment, segmentPath } from './segments.ts';

/** What left the device in one batch, with what was withheld from each result. */
export interface LedgerBlock {
  /** Unix milliseconds of the server's acknowledgement. */
  at: number;
  /** Where it went. */
  server: string;
  results: readonly Minimised[];
}

/** A block as it stands in the ledger: `prev` is the SHA-256 of the block before it, hex; the first one ever has zeros. */
type Chained = LedgerBlock & { prev: string };

export interface LedgerReading {
  block: LedgerBlock;
  /** False from the first block on whose predecessor is not the one it names: something was changed or cut out. */
  intact: boolean;
}

export interface LedgerOptions {
  directory: string;
  /** Compressed, all segments together; default 20 MB. */
  maxBytes?: number;
  /** Default seven days. */
  maxAgeMs?: number;
  now?: () => number;
}

/**
 * The device's own record of what it sent: gzip blocks in append-only segments, each naming the hash of the one before. The
 * oldest goes first, by age or by size. A ledger that cannot be written never stops the sending; the fault is told once.
 */
export interface Ledger {
  append(block: LedgerBlock): Promise<void>;
  /** On disk, all segments together. */
  bytes(): number;
  close(): Promise<void>;
}

const MAX_BYTES = 20 * 1024 * 1024;
const MAX_AGE_MS = 7 * 86_400_000;
const GENESIS = '0'.repeat(64);
const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

async function lastHash(directory: string, segments: readonly Segment[]): Promise<string> {
  for (const segment of segments.toReversed()) {
    const { records } = decodeFrames(await readFile(segmentPath(directory, segment.id)), Number.POSITIVE_INFINITY);
    const last = records.at(-1);
    if (last) return hashOf(gunzipSync(last));
  }
  return GENESIS;
}

interface Open {
  options: Required<LedgerOptions>;
  segments: Segment[];
  active: FileHandle;
  head: string;
}

async function trim(ledger: Open): Promise<void> {
  const { directory, maxBytes, maxAgeMs, now } = ledger.options;
  while (ledger.segments.length > 1) {
    const [oldest] = ledger.segments as [Segment];
    const bytes = ledger.segments.reduce((sum, segment) => sum + segment.bytes, 0);
    // A segment's newest block is as old as its file.
    const written = await stat(segmentPath(directory, oldest.id)).catch(() => undefined);
    if (bytes <= maxBytes && written && now() - written.mtimeMs <= maxAgeMs) return;
    ledger.segments.shift();
    await removeSegment(directory, oldest.id);
  }
}

async function append(ledger: Open, block: LedgerBlock): Promise<void> {
  const content = Buffer.from(JSON.stringify({ ...block, prev: ledger.head } satisfies Chained));
  const frame = encodeFrames([gzipSync(content)]);
  let segment = ledger.segments.at(-1) as Segment;
  if (segment.records > 0 && segment.bytes + frame.length > ledger.options.maxBytes / 20) {
    const next = await createSegment(ledger.options.directory, segment.id + 1);
    await ledger.active.close();
    ledger.active = next.handle;
    ledger.segments.push(next.segment);
    segment = next.segment;
    await trim(ledger);
  }
  await ledger.active.write(frame, 0, frame.length, segment.bytes);
  segment.bytes += frame.length;
  segment.records += 1;
  ledger.head = hashOf(content);
}

/** Opens or makes a ledger in a directory of its own (0700). One writer at a time; `warn` hears of a disk that refuses. */
export async function openLedger(given: LedgerOptions, warn: (message: string) => void): Promise<Ledger> {
  const options = { maxBytes: MAX_BYTES, maxAgeMs: MAX_AGE_MS, now: Date.now, ...given };
  const segments = await openSegments(options.directory);
  const head = await lastHash(options.directory, segments);
  const { segment, handle } = await createSegment(options.directory, (segments.at(-1)?.id ?? 0) + 1);
  segments.push(segment);
  const ledger: Open = { options, segments, active: handle, head };
  await trim(ledger);
  let queue = Promise.resolve();
  let warned = false;
  return {
    append(block) {
      queue = queue.then(() =>
        append(ledger, block).then(
          () => {
            warned = false;
          },
          (error) => {
            if (!warned) warn(`What was sent could not be written down: ${messageOf(error)}`);
            warned = true;
          },
        ),
      );
      return queue;
    },
    bytes: () => ledger.segments.reduce((sum, segment) => sum + segment.bytes, 0),
    async close() {
      await queue;
      await ledger.active.close();
    },
  };
}

/** Reads the ledger from its oldest block to its newest, checking the chain. Safe beside a writer. */
export async function* readLedger(directory: string): AsyncGenerator<LedgerReading> {
  let expected: string | undefined;
  let intact = true;
  for (const segment of await listSegmentIds(directory)) {
    const { records } = decodeFrames(await readFile(segmentPath(directory, segment)), Number.POSITIVE_INFINITY);
    for (const record of records) {
      const content = gunzipSync(record);
      const { prev, ...block } = JSON.parse(content.toString('utf8')) as Chained;
      if (expected !== undefined && prev !== expected) intact = false;
      expected = hashOf(content);
      yield { block, intact };
    }
  }
}
