import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { LEDGER_KINDS } from '@svc/contracts/agent/ipc';
import type { ReceiptedKind } from '@svc/contracts/agent/receipt';
import { messageOf } from '../agent-error.ts';
import { makeDirectory } from '../make-directory.ts';
import type { Minimised } from '../privacy/minimise.ts';
import { decodeFrames, encodeFrames } from './frames.ts';
import { createSegment, listSegmentIds, removeSegment, type Segment, segmentPath } from './segments.ts';

/** What left, or came, and is no result: every field of it, and what was kept back from it. */
export interface LedgerMessage {
  sent: Readonly<Record<string, unknown>>;
  withheld: Readonly<Record<string, unknown>>;
}

/** The server's word that it has a message, checked when it came. */
export interface LedgerReceipt {
  /** SHA-256 of the message that it is for, hex. */
  of: string;
  /** What the message was; absent: a batch of results, of which the next three tell. */
  kind?: ReceiptedKind;
  sequence?: number;
  accepted?: number;
  rejected?: number;
  /** Unix milliseconds of the server's clock; 0 where it did not say. */
  receivedAtMs: number;
  /** Base64; '' where the server signs none. */
  signature: string;
  state: 'signed' | 'unsigned' | 'invalid';
}

/** One message that left the device, with what was withheld from it; or one that came; or the server's receipt for one. */
export interface LedgerBlock {
  /** Absent in records of earlier versions: results, written down once they were acknowledged. */
  kind?: (typeof LEDGER_KINDS)[number] | 'receipt';
  /** Absent: it left. */
  direction?: 'received';
  /** Unix milliseconds when it left; of a receipt and of what was received, when it came. */
  at: number;
  /** Where it went, or came from. */
  server: string;
  results: readonly Minimised[];
  /** Of the message as it was sent, before compression; of a test of the line, of all its messages one behind the other. */
  bytes?: number;
  /** Of the same, hex. */
  sha256?: string;
  message?: LedgerMessage;
  receipt?: LedgerReceipt;
}

/** A block as it stands in the ledger: `prev` is the SHA-256 of the block before it, hex; the first one ever has zeros. */
export type ChainedBlock = LedgerBlock & { prev: string };

export interface LedgerOptions {
  directory: string;
  /** Compressed, all segments together; default 20 MB. */
  maxBytes?: number;
  /** Default seven days. */
  maxAgeMs?: number;
  now?: () => number;
}

/**
 * The device's own record of what it sent: gzip blocks in append-only segments, each naming the hash of the one before, and a file
 * that names the last, so that a ledger which was cut short shows it too. The oldest goes first, by age or by size. A ledger that
 * cannot be written never stops the sending; the fault is told once.
 */
export interface Ledger {
  append(block: LedgerBlock): Promise<void>;
  /** On disk, all segments together. */
  bytes(): number;
  close(): Promise<void>;
}

const MAX_BYTES = 20 * 1024 * 1024;
export const LEDGER_MAX_AGE_MS = 7 * 86_400_000;
/** A segment holds at most a day, or a twentieth of the bound, so that the oldest goes in small pieces. */
const SEGMENTS = 20;
const DAYS = 7;
const GENESIS = '0'.repeat(64);
export const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

const headPath = (directory: string): string => join(directory, 'head');

/** Hash of the block that was written last, as the ledger noted it; undefined where it never did. */
export async function readHead(directory: string): Promise<string | undefined> {
  const text = await readFile(headPath(directory), 'latin1').catch(() => '');
  return /^[0-9a-f]{64}$/.test(text) ? text : undefined;
}

/** The last block that is whole, by its hash and the one that it names. */
async function lastBlock(directory: string, segments: readonly Segment[]): Promise<{ hash: string; prev: string } | undefined> {
  for (const segment of segments.toReversed()) {
    const { records } = decodeFrames(await readFile(segmentPath(directory, segment.id)), Number.POSITIVE_INFINITY);
    for (const record of records.toReversed()) {
      try {
        const content = gunzipSync(record);
        return { hash: hashOf(content), prev: (JSON.parse(content.toString('utf8')) as ChainedBlock).prev };
      } catch {
        // Changed by somebody: the one before it counts.
      }
    }
  }
  return undefined;
}

interface Open {
  options: Required<LedgerOptions>;
  segments: Segment[];
  active: FileHandle;
  /** When the active segment was begun. */
  begunMs: number;
  headFile: FileHandle;
  head: string;
}

const total = (segments: readonly Segment[]): number => segments.reduce((sum, segment) => sum + segment.bytes, 0);

async function trim(ledger: Open): Promise<void> {
  const { directory, maxBytes, maxAgeMs, now } = ledger.options;
  while (ledger.segments.length > 1) {
    const [oldest] = ledger.segments as [Segment];
    // A segment's newest block is as old as its file.
    const written = await stat(segmentPath(directory, oldest.id)).catch(() => undefined);
    if (total(ledger.segments) <= maxBytes && written && now() - written.mtimeMs <= maxAgeMs) return;
    ledger.segments.shift();
    await removeSegment(directory, oldest.id);
  }
}

async function rotate(ledger: Open): Promise<void> {
  const next = await createSegment(ledger.options.directory, (ledger.segments.at(-1)?.id ?? 0) + 1);
  await ledger.active.close();
  ledger.active = next.handle;
  ledger.begunMs = ledger.options.now();
  ledger.segments.push(next.segment);
  await trim(ledger);
}

async function append(ledger: Open, block: LedgerBlock): Promise<void> {
  const { maxBytes, maxAgeMs, now } = ledger.options;
  const content = Buffer.from(JSON.stringify({ ...block, prev: ledger.head } satisfies ChainedBlock));
  const frame = encodeFrames([gzipSync(content)]);
  const isFull = (segment: Segment): boolean => segment.bytes + frame.length > maxBytes / SEGMENTS;
  const isOld = now() - ledger.begunMs > maxAgeMs / DAYS;
  const present = ledger.segments.at(-1) as Segment;
  if (present.records > 0 && (isFull(present) || isOld)) await rotate(ledger);
  const segment = ledger.segments.at(-1) as Segment;
  await ledger.active.write(frame, 0, frame.length, segment.bytes);
  segment.bytes += frame.length;
  segment.records += 1;
  ledger.head = hashOf(content);
  await ledger.headFile.write(ledger.head, 0, 'latin1');
}

/** What is there stays as it is, also where it was changed: that has to show. */
async function findSegments(directory: string): Promise<Segment[]> {
  await makeDirectory(directory);
  const ids = await listSegmentIds(directory);
  return await Promise.all(ids.map(async (id) => ({ id, bytes: (await stat(segmentPath(directory, id))).size, records: 0 })));
}

async function openParts(options: Required<LedgerOptions>): Promise<Open> {
  const { directory } = options;
  const segments = await findSegments(directory);
  const [last, noted] = await Promise.all([lastBlock(directory, segments), readHead(directory)]);
  // A crash between block and note is no change.
  const head = noted === undefined || last?.prev === noted ? (last?.hash ?? GENESIS) : noted;
  const { segment, handle } = await createSegment(directory, (segments.at(-1)?.id ?? 0) + 1);
  segments.push(segment);
  const headFile = await open(headPath(directory), noted === undefined ? 'w' : 'r+', 0o600);
  return { options, segments, active: handle, begunMs: options.now(), headFile, head };
}

/** Opens or makes a ledger in a directory of its own (0700). One writer at a time; `warn` hears of a disk that refuses. */
export async function openLedger(given: LedgerOptions, warn: (message: string) => void): Promise<Ledger> {
  const ledger = await openParts({ maxBytes: MAX_BYTES, maxAgeMs: LEDGER_MAX_AGE_MS, now: Date.now, ...given });
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
    bytes: () => total(ledger.segments),
    async close() {
      await queue;
      await Promise.all([ledger.active.close(), ledger.headFile.close()]);
    },
  };
}
