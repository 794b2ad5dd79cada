import { readFile, stat } from 'node:fs/promises';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { LEDGER_DIRECTIONS, LEDGER_KINDS, RECEIPT_STATES } from '@svc/contracts/agent/ipc';
import { LEDGER_MAX_AGE_MS, type LedgerBlock, type LedgerReceipt, readHead } from './ledger.ts';
import { isIntact, type LedgerRecord, readBlock, readSegment, segmentOf } from './ledger-records.ts';
import { listSegmentIds, segmentPath } from './segments.ts';

/** What a list shows of one record. */
export interface LedgerRow {
  id: number;
  /** Unix milliseconds; of one that cannot be read, of the one before it. */
  at: number;
  server: string;
  types: string[];
  results: number;
  bytes: number;
  /** Values that were taken out. */
  minimised: number;
  intact: boolean;
  kind: (typeof LEDGER_KINDS)[number];
  direction: (typeof LEDGER_DIRECTIONS)[number];
  receipt: (typeof RECEIPT_STATES)[number];
  sha256: string;
}

export interface LedgerRows {
  /** Newest first. */
  rows: LedgerRow[];
  /** All that are there, or all that hold the text. */
  total: number;
  /** Give it as `before` for older ones; null: no more. */
  next: number | null;
  /** Of what was sent. */
  todayBytes: number;
  todayEntries: number;
  /** False where anything was changed or cut off. */
  intact: boolean;
}

export interface RowsWanted {
  /** Text anywhere in a payload, case ignored. */
  search?: string | undefined;
  before?: number | undefined;
  limit: number;
}

/** Reads a ledger for people: what was read once stays in memory until `forget`. Safe beside a writer. */
export interface LedgerIndex {
  page(wanted: RowsWanted): Promise<LedgerRows>;
  /** Null where it cannot be read any more, undefined where there is none. */
  block(id: number): Promise<LedgerBlock | null | undefined>;
  /** Batches of results, newest first, at most so many. */
  newest(count: number): Promise<LedgerBlock[]>;
  forget(): void;
}

type Row = Omit<LedgerRow, 'intact' | 'kind' | 'receipt'> &
  Pick<LedgerRecord, 'hash' | 'prev' | 'offset'> &
  Pick<LedgerBlock, 'kind' | 'receipt'>;
type Found = LedgerRow & Pick<LedgerRecord, 'hash' | 'prev' | 'offset'>;

interface Known {
  rows: Row[];
  size: number;
  mtimeMs: number;
  /** Up to where it was read. */
  bytes: number;
}

interface Reading {
  directory: string;
  now(): number;
  known: Map<number, Known>;
}

/** Records that are decompressed in one go, before anything else gets its turn. */
const AT_ONCE = 50;

function rowOf({ id, offset, block, hash, prev }: LedgerRecord, before: Row | undefined): Row {
  const at = block?.at ?? before?.at ?? 0;
  const results = block?.results ?? [];
  return {
    id,
    offset,
    at,
    server: block?.server.slice(0, 256) ?? '',
    types: [...new Set(results.map(({ result }) => result.canary_type))].sort().slice(0, 16),
    results: results.length,
    bytes: block?.bytes ?? Buffer.byteLength(JSON.stringify(results.map(({ result }) => result))),
    minimised:
      results.reduce((sum, { withheld }) => sum + Object.keys(withheld).length, 0) +
      Object.keys(block?.message?.withheld ?? {}).length,
    kind: block?.kind,
    direction: block?.direction ?? 'sent',
    receipt: block?.receipt,
    sha256: block?.sha256 ?? '',
    hash,
    prev,
  };
}

/** Reads what is new in a segment; all of it where it was not only appended to. */
async function refreshSegment(r: Reading, segment: number): Promise<void> {
  const path = segmentPath(r.directory, segment);
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  const held = r.known.get(segment);
  if (held && held.size === found.size && held.mtimeMs === found.mtimeMs) return;
  const known: Known = held && found.size > held.size ? held : { rows: [], size: 0, mtimeMs: 0, bytes: 0 };
  const content = await readFile(path);
  for (;;) {
    // In pieces: a week's record takes a second, and probes must not wait for it.
    const { records, bytes } = readSegment(content, segment, {
      offset: known.bytes,
      first: known.rows.length,
      most: AT_ONCE,
    });
    if (records.length === 0) break;
    for (const record of records) known.rows.push(rowOf(record, known.rows.at(-1)));
    known.bytes = bytes;
    await giveWay();
  }
  r.known.set(segment, { ...known, size: found.size, mtimeMs: found.mtimeMs });
}

/** Oldest first, as far as they are to be kept. */
async function refresh(r: Reading): Promise<{ rows: Found[]; intact: boolean }> {
  const segments = await listSegmentIds(r.directory);
  for (const gone of r.known.keys()) if (!segments.includes(gone)) r.known.delete(gone);
  for (const segment of segments) await refreshSegment(r, segment);
  const head = await readHead(r.directory);
  const all = segments.flatMap((segment) => r.known.get(segment)?.rows ?? []);
  const receipts = new Map<string, LedgerReceipt['state']>();
  for (const { receipt } of all) if (receipt) receipts.set(receipt.of, receipt.state);
  const oldest = r.now() - LEDGER_MAX_AGE_MS;
  const rows: Found[] = [];
  let whole = all.length > 0 || head === undefined;
  for (const [i, row] of all.entries()) {
    if (row.at <= oldest) continue;
    const intact = isIntact(row, all[i + 1], head);
    whole &&= intact;
    // A receipt shows with what it is for. Records of earlier versions were written once they were acknowledged.
    if (row.kind === 'receipt') continue;
    const receipt = row.kind === undefined ? 'unsigned' : (receipts.get(row.sha256) ?? 'none');
    rows.push({ ...row, kind: row.kind ?? 'results', receipt, intact });
  }
  return { rows, intact: whole };
}

const startOfDay = (nowMs: number): number => new Date(nowMs).setHours(0, 0, 0, 0);

/** Each segment is read once where the rows are in order. */
async function* blocksOf(r: Reading, rows: readonly Found[]): AsyncGenerator<{ row: Found; block: LedgerBlock | undefined }> {
  let held: { segment: number; content: Buffer } | undefined;
  let turn = 0;
  for (const row of rows) {
    const segment = segmentOf(row.id);
    if (held?.segment !== segment) {
      held = { segment, content: await readFile(segmentPath(r.directory, segment)).catch(() => Buffer.alloc(0)) };
    }
    turn += 1;
    if (turn % AT_ONCE === 0) await giveWay();
    yield { row, block: readBlock(held.content, row) };
  }
}

/** Rows whose payloads hold the text, in the order given. */
async function filterRows(r: Reading, rows: readonly Found[], text: string): Promise<Found[]> {
  const wanted = text.toLowerCase();
  const found: Found[] = [];
  for await (const { row, block } of blocksOf(r, rows)) {
    if (block && JSON.stringify(block).toLowerCase().includes(wanted)) found.push(row);
  }
  return found;
}

async function readPage(r: Reading, { search, before, limit }: RowsWanted): Promise<LedgerRows> {
  const { rows, intact } = await refresh(r);
  const today = rows.filter((row) => row.direction === 'sent' && row.at >= startOfDay(r.now()));
  const newestFirst = rows.toReversed();
  const text = search?.trim() ?? '';
  const matching = text === '' ? newestFirst : await filterRows(r, newestFirst, text);
  const older = before === undefined ? matching : matching.filter((row) => row.id < before);
  const page = older.slice(0, limit);
  return {
    rows: page.map(({ offset: _, hash: __, prev: ___, ...row }) => row),
    total: matching.length,
    next: older.length > page.length ? (page.at(-1)?.id ?? null) : null,
    todayBytes: today.reduce((sum, row) => sum + row.bytes, 0),
    todayEntries: today.length,
    intact,
  };
}

export function createLedgerIndex(directory: string, now: () => number): LedgerIndex {
  const r: Reading = { directory, now, known: new Map() };
  let queue: Promise<unknown> = Promise.resolve();
  // One after the other: a person who types a search asks often.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = queue.then(work);
    queue = done.catch(() => undefined);
    return done;
  };
  const firstBlocks = async (rows: readonly Found[]): Promise<LedgerBlock[]> => {
    const blocks: LedgerBlock[] = [];
    for await (const { block } of blocksOf(r, rows)) if (block) blocks.push(block);
    return blocks;
  };
  return {
    page: (wanted) => inTurn(() => readPage(r, wanted)),
    block: (id) =>
      inTurn(async () => {
        const found = (await refresh(r)).rows.filter((row) => row.id === id);
        return found.length === 0 ? undefined : ((await firstBlocks(found))[0] ?? null);
      }),
    newest: (count) =>
      inTurn(async () => {
        const { rows } = await refresh(r);
        return await firstBlocks(
          rows
            .filter(({ kind }) => kind === 'results')
            .toReversed()
            .slice(0, count),
        );
      }),
    forget: () => r.known.clear(),
  };
}
