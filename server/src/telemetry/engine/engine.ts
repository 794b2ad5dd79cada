import type { Readable } from 'node:stream';
import type { WriteClaim } from '../claims.ts';
import type { ReadShare } from '../reading/tenant-readers.ts';

/** What an insert needs: the table, its columns in the block's order and one block in Native format. */
export interface NativeInsert {
  table: string;
  columns: readonly string[];
  /** Not changed until the promise settles. */
  bytes: Buffer;
  claim?: WriteClaim | undefined;
}

export interface EngineQuery {
  sql: string;
  params: Record<string, unknown>;
  /** Deadline, milliseconds; the engine stops the query by itself a little earlier than the client gives up. */
  timeoutMs: number;
  maxRows: number;
  /** Left out for work of the system, which is not put behind anybody. */
  share?: ReadShare;
  /** Once it is aborted nobody waits for the answer: the engine stops working on it, and the query rejects. */
  ended?: AbortSignal | undefined;
}

/** One ClickHouse, wherever it runs: the little that the column store needs of it. Errors are the client's own. */
export interface Engine {
  readonly kind: 'chdb' | 'server';
  /** Names the place for messages, without a password. */
  readonly place: string;
  command(sql: string): Promise<void>;
  /** An INSERT ... SELECT with parameters; resolves when the part is written and synced. */
  derive(sql: string, params: Record<string, unknown>): Promise<void>;
  /** Resolves when the part is written and synced; `conflict` when its claim is not held. */
  insert(insert: NativeInsert): Promise<void>;
  /** As ColumnStore. */
  claim(writer: string, signal?: AbortSignal): Promise<WriteClaim>;
  query<Row>(query: EngineQuery): Promise<Row[]>;
  /** All rows in Native format. */
  native(query: EngineQuery): Promise<Buffer>;
  close(): Promise<void>;
}

/** All of an answer; as it came where it came in one piece, as chDB's does. */
export async function bytesOf(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = await stream.toArray();
  const [first, ...others] = pieces;
  return first !== undefined && others.length === 0 ? first : Buffer.concat(pieces);
}

/** What one read may take of the engine's memory. */
const MAX_QUERY_BYTES = 512 * 1024 * 1024;
/** What an answer may have, so that it fits into this process too. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Room for the literals of ten thousand series. */
const MAX_STATEMENT_BYTES = 16 * 1024 * 1024;

/** Settings that bound a read; over any of them it ends with an error, never with a part of the answer. */
export function readSettings(query: EngineQuery): Record<string, string | number> {
  return {
    readonly: 2,
    max_execution_time: query.timeoutMs / 1000,
    timeout_overflow_mode: 'throw',
    max_result_rows: String(query.maxRows),
    result_overflow_mode: 'throw',
    max_memory_usage: String(MAX_QUERY_BYTES),
    max_query_size: String(MAX_STATEMENT_BYTES),
    max_result_bytes: String(MAX_ANSWER_BYTES),
    // Named always: a session keeps what the question before it set.
    priority: query.share?.priority ?? 0,
    ...(query.share?.onOneThread && { max_threads: 1 }),
    output_format_json_quote_64bit_integers: 0,
    output_format_json_quote_denormals: 0,
  };
}

/** Without batching in the engine (it would acknowledge before the disk has it), and with as many partitions as a block spans. */
export const WRITE_SETTINGS = {
  async_insert: 0,
  max_partitions_per_insert_block: '0',
  optimize_on_insert: 0,
  max_threads: 1,
  // Where the engine's memory ends, a read gives way and never what was acknowledged.
  memory_overcommit_ratio_denominator: '0',
} as const;

/** The same for rows made of rows: bounded like a read, and grouping in the order of the table instead of in memory. */
export const DERIVE_SETTINGS = {
  ...WRITE_SETTINGS,
  optimize_aggregation_in_order: 1,
  max_memory_usage: String(MAX_QUERY_BYTES),
} as const;
