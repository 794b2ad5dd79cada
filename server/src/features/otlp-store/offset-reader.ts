import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** The tables whose rows are told apart by their place on the bus alone; points of metrics are by series and time. */
export type OffsetTable = 'spans' | 'logs';

/** What storing OTLP data needs of the column store. */
export type BlockStore = Pick<ColumnStore, 'read' | 'writeEncoded' | 'claim'>;

/** Of a partition from an offset on. */
interface Place {
  partition: number;
  first: bigint;
}

export interface StoredMessage {
  offset: string;
  /** Unix ms of its receipt. */
  received: number;
  /** Days since 1970 of its rows. */
  days: number[];
}

/** What a table has of the messages of a tenant. */
export interface OffsetReader {
  /** The last offset; -1 for none. */
  last(tenant: TenantId, place: Place): Promise<bigint>;
  messages(tenant: TenantId, places: Place & { last: bigint }): Promise<StoredMessage[]>;
}

const lastSql = (table: OffsetTable): string => `SELECT toString(max(bus_offset)) AS last, count() AS rows FROM ${table}
  WHERE tenant_id = {tenant:String} AND bus_partition = {partition:UInt16} AND bus_offset >= {first:UInt64}`;

const daysSql = (
  table: OffsetTable,
): string => `SELECT toString(bus_offset) AS offset, toUnixTimestamp64Milli(received) AS received,
  groupUniqArray(toUInt32(toDate(ts, 'UTC'))) AS days FROM ${table}
  WHERE tenant_id = {tenant:String} AND bus_partition = {partition:UInt16} AND bus_offset >= {first:UInt64} AND bus_offset <= {last:UInt64}
  GROUP BY offset, received`;

/** Whoever begins to store must not wait behind what people of the tenant ask. */
const BACKGROUND = { background: true } as const;

export function createOffsetReader(store: BlockStore, table: OffsetTable): OffsetReader {
  return {
    async last(tenant, { partition, first }) {
      const params = { partition, first: String(first) };
      const [row] = await store.read<{ last: string; rows: number }>(tenant, lastSql(table), params, BACKGROUND);
      return row && row.rows > 0 ? BigInt(row.last) : -1n;
    },
    messages(tenant, { partition, first, last }) {
      const params = { partition, first: String(first), last: String(last) };
      return store.read<StoredMessage>(tenant, daysSql(table), params, BACKGROUND);
    },
  };
}
