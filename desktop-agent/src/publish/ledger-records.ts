import { readFile } from 'node:fs/promises';
import { crc32, gunzipSync } from 'node:zlib';
import { FRAME_BYTES } from './frames.ts';
import { type ChainedBlock, hashOf, type LedgerBlock, readHead } from './ledger.ts';
import { listSegmentIds, segmentPath } from './segments.ts';

/** One record of the ledger as it was found. */
export interface LedgerRecord {
  /** Its place: rises with time and stays when older ones go. */
  id: number;
  /** Where it begins in its segment, bytes. */
  offset: number;
  /** Undefined where it cannot be read any more. */
  block: LedgerBlock | undefined;
  /** Hash of its content and of the one that it follows; '' where it cannot be read. */
  hash: string;
  prev: string;
}

const PER_SEGMENT = 2 ** 20;
/** More than any batch: what claims to be larger is no record. */
const MAX_RECORD = 16 * 1024 * 1024;

const placeOf = (id: number): number => id % PER_SEGMENT;
export const segmentOf = (id: number): number => Math.floor(id / PER_SEGMENT);

const unreadable = (id: number, offset: number): LedgerRecord => ({ id, offset, block: undefined, hash: '', prev: '' });

function readRecord(content: Buffer, id: number, offset: number): LedgerRecord {
  const from = offset + FRAME_BYTES;
  const frame = content.subarray(from, from + content.readUInt32BE(offset));
  const checksum = content.readUInt32BE(offset + 4);
  try {
    if (crc32(frame) !== checksum) throw new Error('changed');
    const text = gunzipSync(frame, { maxOutputLength: MAX_RECORD });
    const { prev, ...block } = JSON.parse(text.toString('utf8')) as ChainedBlock;
    if (!Array.isArray(block.results) || typeof block.at !== 'number') throw new Error('no block');
    return { id, offset, block, hash: hashOf(text), prev };
  } catch {
    return unreadable(id, offset);
  }
}

export interface SegmentRecords {
  records: LedgerRecord[];
  /** Where the next one begins; what a crash cut off at the end is no record. */
  bytes: number;
}

export interface ReadFrom {
  /** Bytes. */
  offset: number;
  /** Number of the record that begins there. */
  first: number;
  /** How many at most. */
  most: number;
}

const ALL: ReadFrom = { offset: 0, first: 0, most: Number.POSITIVE_INFINITY };

/** Reads a segment's records in order. Goes on behind one that was changed. */
export function readSegment(content: Buffer, segment: number, { offset, first, most } = ALL): SegmentRecords {
  const records: LedgerRecord[] = [];
  let at = offset;
  while (records.length < most && at + FRAME_BYTES <= content.length) {
    const id = segment * PER_SEGMENT + first + records.length;
    const length = content.readUInt32BE(at);
    const end = at + FRAME_BYTES + length;
    if (length > MAX_RECORD) {
      records.push(unreadable(id, at));
      return { records, bytes: content.length };
    }
    if (end > content.length) break;
    records.push(readRecord(content, id, at));
    at = end;
  }
  return { records, bytes: at };
}

/** Reads one record again, by its row. */
export const readBlock = (content: Buffer, { id, offset }: Pick<LedgerRecord, 'id' | 'offset'>): LedgerBlock | undefined =>
  readSegment(content, segmentOf(id), { offset, first: placeOf(id), most: 1 }).records[0]?.block;

/** Of a record and the one after it, or the ledger's note of the last: whether nobody changed it or cut out what followed it. */
export function isIntact(record: Chain, next: Chain | undefined, head: string | undefined): boolean {
  if (record.hash === '') return false;
  if (next) return next.hash === '' || next.prev === record.hash;
  return head === undefined || head === record.hash || head === record.prev;
}
type Chain = Pick<LedgerRecord, 'hash' | 'prev'>;

export interface LedgerReading {
  /** Undefined where the record cannot be read any more. */
  block: LedgerBlock | undefined;
  /** False: it was changed after it was written, or what followed it was. */
  intact: boolean;
}

/** Reads the ledger from its oldest record to its newest, checking the chain. Safe beside a writer. */
export async function* readLedger(directory: string): AsyncGenerator<LedgerReading> {
  let before: LedgerRecord | undefined;
  for (const segment of await listSegmentIds(directory)) {
    for (const record of readSegment(await readFile(segmentPath(directory, segment)), segment).records) {
      if (before) yield { block: before.block, intact: isIntact(before, record, undefined) };
      before = record;
    }
  }
  if (before) yield { block: before.block, intact: isIntact(before, undefined, await readHead(directory)) };
}
