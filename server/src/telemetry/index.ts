import type { Health, TenantId } from '#kernel';

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

export interface Column {
  name: string;
  type: ColumnType;
  /** One value a row; shape per type: string, number, bigint, Unix milliseconds for DateTime64(3), 16-byte or text UUID, plain map. */
  values: ArrayLike<unknown>;
}

/** Rows of one table, column by column; all columns have the same length. */
export interface Block {
  table: string;
  rows: number;
  columns: readonly Column[];
}

/** Bounds of a read; a query over them ends with `unavailable`, never with a part of the answer. */
export interface ReadLimits {
  timeoutMs?: number;
  maxRows?: number;
}

/**
 * The column store: chDB in this process or a ClickHouse server, one SQL dialect and one client.
 * `read` binds `{tenant: String}` by itself and refuses SQL that does not use it; further parameters go by `{name: Type}`,
 * never by text. Writes resolve when the store has synced the part; writers and readers have sessions of their own.
 */
export interface ColumnStore {
  readonly kind: 'chdb' | 'server';
  write(block: Block): Promise<void>;
  read<Row>(tenant: TenantId, sql: string, params?: Record<string, unknown>, limits?: ReadLimits): Promise<Row[]>;
  health(): Promise<Health>;
  close(): Promise<void>;
}

/** One point of one series. `metric` is the underscore name with unit, for example svc_endpoint_wifi_rssi_dbm. */
export interface Sample {
  tenant: TenantId;
  metric: string;
  labels: Readonly<Record<string, string>>;
  /** Unix milliseconds. */
  ts: number;
  value: number;
}

export interface RangeQuery {
  metrics: readonly string[];
  /** Equality on labels. */
  labels: Readonly<Record<string, string>>;
  fromMs: number;
  toMs: number;
  /** Bucket width; min, max and average are kept for each. 0 gives raw points. */
  stepMs: number;
}

export interface SeriesPoints {
  metric: string;
  labels: Record<string, string>;
  /** Bucket start, Unix milliseconds; buckets without a sample are left out. */
  ts: number[];
  avg: number[];
  min: number[];
  max: number[];
}

/** The one owner of series and samples. Writing the same (series, ts) again changes nothing that readers see. */
export interface SeriesStore {
  write(samples: readonly Sample[]): Promise<void>;
  range(tenant: TenantId, query: RangeQuery): Promise<SeriesPoints[]>;
}

/** What compose.ts opens. `store` is undefined where only the bounded in-memory adapter runs; slices then use their memory stores. */
export interface Telemetry {
  store: ColumnStore | undefined;
  series: SeriesStore;
  health(): Promise<Health>;
  close(): Promise<void>;
}
