import type { AnswerBlock, Block, EncodedBlock as BlockBytes } from '@svc/bytes';
import type { Health, TenantId } from '#kernel';
import type { WriteClaim } from './claims.ts';

/** A block that was encoded elsewhere; its bytes are not changed until the promise of `writeEncoded` settles. */
export interface EncodedBlock extends BlockBytes {
  /** Stored only while nobody else has claimed its name. */
  claim?: WriteClaim | undefined;
}

/** Bounds of a read; a query over them ends with `unavailable`, never with a part of the answer. */
export interface ReadLimits {
  /** Default 10 s. */
  timeoutMs?: number;
  /** Default 100,000. */
  maxRows?: number;
  /** Not asked by a person: it waits in the system's line instead of its tenant's, and is never refused. */
  background?: boolean;
}

/** Rows that go for good: all of a tenant in one table, or those of it whose `column` is one of `values`. */
export interface ErasedColumns {
  table: string;
  where?: { column: string; values: readonly string[] };
}

/** Bytes of the store's disk that are free and that there are, and what each tenant keeps on it. */
export interface DiskUse {
  freeBytes: number;
  /** 0 where the disk has no end. */
  totalBytes: number;
  tenants: ReadonlyMap<TenantId, number>;
}

/**
 * The column store: chDB in this process or a ClickHouse server, one SQL dialect and one client.
 * `read` binds `{tenant: String}` by itself and refuses SQL that does not use it; further parameters go by `{name: Type}`,
 * never by text. Writes resolve when the store has synced the part; writers and readers have sessions of their own.
 * Each read waits in its tenant's own line (TenantReaders), so no caller can take another tenant's share; `rate_limited` when the line is full.
 * A read within `readUntil` of #kernel, unless it is of the background, is stopped in the engine with its request and rejects with that reason.
 */
export interface ColumnStore {
  readonly kind: 'chdb' | 'server';
  write(block: Block): Promise<void>;
  /**
   * As `write`. All rows of a partition are stored or none; a block that spans partitions may be stored in part when it fails. Rejects with
   * `conflict`, and stores nothing, when its name was claimed anew.
   */
  writeEncoded(block: EncodedBlock): Promise<void>;
  /**
   * Makes the caller the only one, of all processes, whose writes under this name are stored. Resolves when no write of an earlier claim is
   * on its way any more: what those stored can be read then, and what of them comes later is refused. `unavailable` when one takes over a
   * minute; rejects as `signal` says.
   */
  claim(writer: string, signal?: AbortSignal): Promise<WriteClaim>;
  /** Runs an INSERT ... SELECT over rows of this tenant, bound like `read`; resolves like `write`. */
  derive(tenant: TenantId, sql: string, params?: Record<string, unknown>): Promise<void>;
  read<Row>(tenant: TenantId, sql: string, params?: Record<string, unknown>, limits?: ReadLimits): Promise<Row[]>;
  /** As `read`, column by column and of the types of our tables: for many rows of a few numbers, of which objects would cost many times as much. */
  readColumns(tenant: TenantId, sql: string, params?: Record<string, unknown>, limits?: ReadLimits): Promise<AnswerBlock[]>;
  /**
   * Removes rows of a tenant and gives how many there were, those that a merge would have collapsed counted each. When it resolves they are
   * in no part that is read. Idempotent: after a failure half-way it is called again. What is written meanwhile may stay.
   */
  erase(tenant: TenantId, rows: ErasedColumns): Promise<number>;
  /**
   * Resolves when the store took a small write that is known to be good: what it refuses meanwhile is then at fault itself. A refused write
   * rejects with `unavailable` where the store is away, full, busy or not set up, and with `internal` where that may be its block's fault.
   */
  probe(): Promise<void>;
  /** Work of the system; of a disk that other programs use too. */
  diskUse(): Promise<DiskUse>;
  health(): Promise<Health>;
  close(): Promise<void>;
}

/** The only labels a series may have (docs/contract/results.md): identifiers never become labels beyond these. */
export const SERIES_LABELS = ['agent', 'test', 'target', 'app', 'hop', 'segment', 'layer'] as const;
export type SeriesLabel = (typeof SERIES_LABELS)[number];
export type SeriesLabels = Readonly<Partial<Record<SeriesLabel, string>>>;

/** One point of one series. `metric` is the underscore name with unit, for example svc_endpoint_wifi_rssi_dbm. */
export interface Sample {
  tenant: TenantId;
  metric: string;
  /** Keys of SERIES_LABELS only; any other is refused with `validation`. */
  labels: Readonly<Record<string, string>>;
  /** Unix milliseconds. */
  ts: number;
  value: number;
}

/** Whom a group of samples is about: the labels that are alike in all of them. */
export interface SeriesOwner {
  tenant: TenantId;
  agent?: string;
  test?: string;
  target?: string;
  app?: string;
}

/** Metric and the labels that differ within a group. Made once with `seriesKey`, then reused for every sample. */
export interface SeriesKey {
  readonly metric: string;
  readonly labels: SeriesLabels;
  readonly hashLow: number;
  readonly hashHigh: number;
}

/** Samples on their way into one block; the hot way, without an object a sample. Not to be used after `write`. */
export interface SampleBatch {
  readonly rows: number;
  /** All further samples belong to this owner and time (Unix milliseconds). */
  begin(owner: SeriesOwner, ts: number): void;
  add(key: SeriesKey, value: number): void;
  /** As `SeriesStore.write`; may be called again after a failure, and not at all after it resolved. */
  write(): Promise<void>;
}

export interface RangeQuery {
  metrics: readonly string[];
  /** Equality on labels. */
  labels: Readonly<Record<string, string>>;
  fromMs: number;
  toMs: number;
  /**
   * Bucket width; min, max and average are kept for each. 0 gives raw points. Steps of whole hours reach 13 months back, others as far as
   * samples are kept (30 days); both give the same wherever both reach.
   */
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

/** The points of one series in one hour. */
export interface SeriesHour {
  metric: string;
  labels: Record<string, string>;
  /** Unix milliseconds. */
  startMs: number;
  points: number;
  avg: number;
  min: number;
  max: number;
}

/** The one owner of series and samples. Writing the same (series, ts) again changes nothing that readers see. */
export interface SeriesStore {
  write(samples: readonly Sample[]): Promise<void>;
  batch(): SampleBatch;
  range(tenant: TenantId, query: RangeQuery): Promise<SeriesPoints[]>;
  /**
   * Rolls up the hours of a tenant that are over and changed, so that they outlive their samples; gives how many. To be called every few
   * minutes, by one process or by several: ranges are right before, during and after it.
   */
  rollUp(tenant: TenantId): Promise<number>;
  /** Every hour of a tenant that was rolled up, a page at a time. */
  exportHours(tenant: TenantId): AsyncIterable<SeriesHour[]>;
}

/** What compose/ opens: the column store, and the series in it. */
export interface Telemetry {
  readonly kind: 'chdb' | 'server';
  store: ColumnStore;
  series: SeriesStore;
  health(): Promise<Health>;
  close(): Promise<void>;
}
