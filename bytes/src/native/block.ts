import type { ByteSink } from '../byte-sink.ts';

/** ClickHouse types that the block writer knows; a new one comes with its encoder and its test. */
export type ColumnType =
  | 'String'
  | 'LowCardinality(String)'
  | 'UInt8'
  | 'UInt16'
  | 'UInt32'
  | 'UInt64'
  | 'Float64'
  | 'UUID'
  | 'DateTime64(3)'
  | 'Map(LowCardinality(String), String)'
  | 'Map(LowCardinality(String), Float64)';

/** Values of one column, encoded while they were collected; made by `newColumn(type)` and its `push`. */
export interface NativeColumn {
  readonly length: number;
  /** Empties it for the next block and keeps its memory. */
  reset(): void;
  writePrefix(sink: ByteSink): void;
  writeBody(sink: ByteSink): void;
}

export interface Column {
  name: string;
  type: ColumnType;
  /**
   * One value a row; shape per type: string, number, bigint, Unix milliseconds for DateTime64(3), text UUID, plain map.
   * The quick way is a column of `newColumn(type)`, which was encoded row by row.
   */
  values: ArrayLike<unknown> | NativeColumn;
}

/** A column that was encoded elsewhere, of whatever type ClickHouse knows. */
export interface EncodedColumn {
  name: string;
  type: string;
  values: NativeColumn;
}

/** A block as bytes that `encodeBlock` made, perhaps on another thread. */
export interface EncodedBlock {
  table: string;
  rows: number;
  /** Names, in the block's order. */
  columns: readonly string[];
  bytes: Buffer;
}

/** Rows of one table, column by column; all columns have the same length. */
export interface Block {
  table: string;
  rows: number;
  columns: readonly (Column | EncodedColumn)[];
}
