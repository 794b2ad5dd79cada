import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** A record to be written; what is left out is empty. */
export interface TestLog {
  ts: bigint;
  body: string;
  service?: string;
  severity?: number;
  trace?: string;
  attributes?: Record<string, string>;
  resource?: Record<string, string>;
  partition?: number;
  offset?: number;
  row?: number;
}

const INSERT = `INSERT INTO logs (tenant_id, ts, observed_ts, trace_id, span_id, severity, body, body_type, service, attributes, resource,
    bus_partition, bus_offset, row)
  SELECT {tenant:String}, fromUnixTimestamp64Nano(r.1), fromUnixTimestamp64Nano(r.1), unhex(r.2), repeat(char(0), 8), r.3, r.4, 's', r.5,
    r.6, r.7, r.8, r.9, r.10 FROM (SELECT arrayJoin(JSONExtract({rows:String},
    'Array(Tuple(Int64, String, UInt8, String, String, Map(String, String), Map(String, String), UInt16, UInt64, UInt32))')) AS r)`;

const AT_ONCE = 500;

/** Writes rows as the otlp slice would, each with its place on the bus. */
export async function writeLogs(store: ColumnStore, tenant: TenantId, logs: readonly TestLog[]): Promise<void> {
  const rows = logs.map((log) => [
    String(log.ts),
    log.trace ?? '0'.repeat(32),
    log.severity ?? 9,
    log.body,
    log.service ?? 'shop',
    log.attributes ?? {},
    log.resource ?? {},
    log.partition ?? 0,
    log.offset ?? 0,
    log.row ?? 0,
  ]);
  // A parameter of a ClickHouse server holds 128 KiB at most.
  for (let i = 0; i < rows.length; i += AT_ONCE)
    await store.derive(tenant, INSERT, { rows: JSON.stringify(rows.slice(i, i + AT_ONCE)) });
}
