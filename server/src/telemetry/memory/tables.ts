import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { AppError, type TenantId } from '#kernel';
import type { Lows, Wides } from './columns.ts';
import { BlockColumns, type KeptBlock, keepBlock, sizeOf, type WrittenBlock } from './kept-block.ts';

/** All tables together, unless told otherwise. */
export const MAX_MEMORY_BYTES = 256 * 1024 * 1024;

interface TableRule {
  /** Part of the bytes of all tables: a flood of spans does not push out what metrics are called. */
  share: number;
  /** Column of the time and its unit, for windows and retention; undefined where rows have none. */
  time?: { column: string; ns: bigint };
  keptDays: number;
}

const NS = { column: 'ts', ns: 1n };
const MS = { column: 'ts', ns: 1_000_000n };

/** As clickhouse/migrations/0006 to 0008 keep them. */
const RULES: Readonly<Record<string, TableRule>> = {
  spans: { share: 0.4, time: NS, keptDays: 15 },
  logs: { share: 0.25, time: NS, keptDays: 15 },
  metric_series: { share: 0.1, keptDays: Number.POSITIVE_INFINITY },
  metric_points: { share: 0.12, time: MS, keptDays: 30 },
  metric_histograms: { share: 0.1, time: MS, keptDays: 30 },
  metric_exemplars: { share: 0.03, time: MS, keptDays: 15 },
};

/** What jobs of a column store go by: here everything is computed when it is asked for. */
const NOT_KEPT = new Set(['edge_marks']);

const DAY_MS = 86_400_000;
const EXPIRE_EVERY_MS = 60_000;
/** Rows of one visit, and how long visits may hold the event loop before others get their turn. */
const PART_ROWS = 4096;
const TURN_MS = 5;
const DEFAULT_TIMEOUT_MS = 5000;

interface Block extends KeptBlock {
  /** Rows by tenant; undefined stands for all. */
  tenants: ReadonlyMap<string, Uint32Array | undefined>;
  /** In the unit of the table's time. */
  first: bigint;
  last: bigint;
  keptDays: number;
  size: number;
}

interface Table {
  rule: TableRule;
  /** Oldest written first. */
  blocks: Block[];
  bytes: number;
  droppedRows: number;
  /** When blocks were last looked through for what is past its time. */
  expiredAt: number;
}

/** Unix nanoseconds, the end exclusive; an open side is not bounded. */
export interface MemoryWindow {
  fromNs?: bigint;
  toNs?: bigint;
}

export interface MemoryQuery extends MemoryWindow {
  table: string;
  /** Default 5 s. */
  timeoutMs?: number;
}

/** Rows of one tenant within the window asked for, as places in the columns of their block. */
export interface MemoryRows {
  rows: Uint32Array;
  columns: BlockColumns;
}

export interface MemoryUse {
  bytes: number;
  maxBytes: number;
  /** By table, rows that went before their time to make room; tables that lost none are left out. */
  droppedRows: Record<string, number>;
}

/**
 * The OTLP tables in the memory of this process, as the blocks that were written: for machines without a build of chDB. Bounded in bytes, the
 * oldest blocks of a table go first; all is lost at the end of the process.
 */
export interface MemoryTables {
  readonly kind: 'memory';
  /** All rows are there when it resolves, or none. AppError `internal` for a table that is none of OTLP's. */
  writeEncoded(block: WrittenBlock): Promise<void>;
  /**
   * Visits the tenant's rows, the newest written first, some thousands at a time, and lets others run in between; `visit` ends it by giving
   * false. `unavailable` when it takes longer than allowed. Rows written meanwhile are not seen.
   */
  scan(tenant: TenantId, query: MemoryQuery, visit: (part: MemoryRows) => unknown): Promise<void>;
  use(): MemoryUse;
}

/** Which rows are whose, without a list where all are one tenant's. */
function rowsByTenant(tenants: Lows, rows: number): ReadonlyMap<string, Uint32Array | undefined> {
  const counts = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const id = tenants.ids[row] as number;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  if (counts.size === 1) return new Map([[tenants.at(0), undefined]]);
  const lists = new Map([...counts].map(([id, count]) => [id, { rows: new Uint32Array(count), used: 0 }]));
  for (let row = 0; row < rows; row++) {
    const list = lists.get(tenants.ids[row] as number);
    if (list) list.rows[list.used++] = row;
  }
  return new Map([...lists].map(([id, list]) => [tenants.text(id), list.rows]));
}

function spanOf(times: Wides): { first: bigint; last: bigint } {
  let first = times[0] ?? 0n;
  let last = first;
  for (const time of times) {
    if (time < first) first = time;
    if (time > last) last = time;
  }
  return { first, last };
}

/** As long as the rows say that are kept longest, where they say so. */
function keptDaysOf(columns: BlockColumns, rule: TableRule): number {
  if (!columns.has('keep_days')) return rule.keptDays;
  let most = 0;
  for (const days of columns.numbers('keep_days')) most = Math.max(most, days);
  return most;
}

function prepare(rule: TableRule, block: WrittenBlock): Block {
  const kept = keepBlock(block);
  const columns = new BlockColumns(kept);
  const tenants = rowsByTenant(columns.lows('tenant_id'), block.rows);
  const lists = [...tenants.values()].reduce((sum, rows) => sum + (rows?.byteLength ?? 0) + 100, 0);
  const { time } = rule;
  const span = time ? spanOf(columns.wides(time.column)) : { first: 0n, last: 0n };
  return { ...kept, tenants, ...span, keptDays: keptDaysOf(columns, rule), size: sizeOf(kept) + lists };
}

/** Rounded up: a time of a coarse unit lies in a window when its own instant does. */
const inUnit = (at: bigint | undefined, ns: bigint): bigint | undefined => at && (at + ns - 1n) / ns;

/** Which of the tenant's rows of a block lie in the window. */
function rowsOf(block: Block, tenant: TenantId, time?: { column: Wides; from?: bigint; to?: bigint }): Uint32Array {
  const { from, to } = time ?? {};
  const own = block.tenants.get(tenant);
  const all = own ?? Uint32Array.from({ length: block.rows }, (_, row) => row);
  if (time === undefined || ((from === undefined || block.first >= from) && (to === undefined || block.last < to))) return all;
  const { column } = time;
  return all.filter((row) => {
    const at = column[row] as bigint;
    return (from === undefined || at >= from) && (to === undefined || at < to);
  });
}

export interface MemoryTablesOptions {
  /** Of all tables together. */
  maxBytes?: number;
  now?: () => number;
}

function createTables(): ReadonlyMap<string, Table> {
  return new Map(
    Object.entries(RULES).map(([name, rule]) => [name, { rule, blocks: [], bytes: 0, droppedRows: 0, expiredAt: 0 }]),
  );
}

function expire(table: Table, nowMs: number): void {
  const { time } = table.rule;
  if (time === undefined || nowMs - table.expiredAt < EXPIRE_EVERY_MS) return;
  table.expiredAt = nowMs;
  const isKept = ({ last, keptDays }: Block): boolean =>
    last * time.ns >= BigInt(Math.ceil(nowMs - keptDays * DAY_MS)) * 1_000_000n;
  table.blocks = table.blocks.filter(isKept);
  table.bytes = table.blocks.reduce((sum, { size }) => sum + size, 0);
}

export function createMemoryTables({ maxBytes = MAX_MEMORY_BYTES, now = Date.now }: MemoryTablesOptions = {}): MemoryTables {
  const tables = createTables();

  function tableOf(name: string): Table {
    const table = tables.get(name);
    if (table === undefined) throw new AppError('internal', `Memory keeps no table ${name.slice(0, 40)}.`);
    return table;
  }

  /** Lets go of what is past its time, then of the oldest blocks while there is no room. */
  function trim(table: Table): void {
    expire(table, now());
    let gone = 0;
    for (const { rows, size } of table.blocks) {
      if (table.bytes <= maxBytes * table.rule.share) break;
      table.droppedRows += rows;
      table.bytes -= size;
      gone++;
    }
    table.blocks.splice(0, gone);
  }

  async function scan(tenant: TenantId, query: MemoryQuery, visit: (part: MemoryRows) => unknown): Promise<void> {
    const { rule, blocks } = tableOf(query.table);
    const { time } = rule;
    const [from, to] = time ? [inUnit(query.fromNs, time.ns), inUnit(query.toNs, time.ns)] : [];
    const deadline = performance.now() + (query.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    let turn = performance.now() + TURN_MS;
    for (const block of blocks.toReversed()) {
      if (!block.tenants.has(tenant) || (from !== undefined && block.last < from) || (to !== undefined && block.first >= to))
        continue;
      const columns = new BlockColumns(block);
      const window = time && {
        column: columns.wides(time.column),
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
      };
      const rows = rowsOf(block, tenant, window);
      for (let at = 0; at < rows.length; at += PART_ROWS) {
        if (visit({ rows: rows.subarray(at, at + PART_ROWS), columns }) === false) return;
        const after = performance.now();
        if (after > deadline)
          throw new AppError('unavailable', 'The query took longer than allowed. Narrow the time range.', {
            retryAfterSeconds: 5,
          });
        if (after < turn) continue;
        await yieldToOthers();
        turn = performance.now() + TURN_MS;
      }
    }
  }

  return {
    kind: 'memory',
    scan,
    async writeEncoded(block) {
      if (NOT_KEPT.has(block.table)) return;
      const table = tableOf(block.table);
      if (block.rows === 0) return;
      const kept = prepare(table.rule, block);
      table.blocks.push(kept);
      table.bytes += kept.size;
      trim(table);
    },
    use() {
      const lost = [...tables].filter(([, { droppedRows }]) => droppedRows > 0);
      return {
        bytes: [...tables.values()].reduce((sum, { bytes }) => sum + bytes, 0),
        maxBytes,
        droppedRows: Object.fromEntries(lost.map(([name, { droppedRows }]) => [name, droppedRows])),
      };
    },
  };
}
