import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** A span to be written; ids are short words, the same word is the same id. */
export interface TestSpan {
  trace: string;
  id: string;
  parent?: string;
  service: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Unix milliseconds. */
  atMs: number;
  durationMs?: number;
  error?: boolean;
  peer?: string;
  database?: string;
  traceState?: string;
  /** Spans of the same trace. */
  links?: string[];
}

const KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;
const hex = (word: string, bytes: number): string =>
  Buffer.from(word.padEnd(bytes, '_'))
    .toString('hex')
    .slice(0, 2 * bytes);

const SPANS = `INSERT INTO spans (tenant_id, ts, duration_ns, trace_id, span_id, parent_id, name, kind, service, status, peer, db_system,
    trace_state, link_trace_ids, link_span_ids)
  SELECT {tenant:String}, fromUnixTimestamp64Milli(r.1), r.2, unhex(r.3), unhex(r.4), unhex(r.5), 'op', r.6, r.7, r.8, r.9, r.10, r.11,
    arrayMap(x -> unhex(r.3), r.12), arrayMap(x -> unhex(x), r.12) FROM (SELECT arrayJoin(JSONExtract({rows:String},
    'Array(Tuple(Int64, UInt64, String, String, String, UInt8, String, UInt8, String, String, String, Array(String)))')) AS r)`;

const AT_ONCE = 400;

export async function writeSpans(store: ColumnStore, tenant: TenantId, spans: readonly TestSpan[]): Promise<void> {
  const rows = spans.map((span) => [
    span.atMs,
    Math.round((span.durationMs ?? 10) * 1e6),
    hex(span.trace, 16),
    hex(span.id, 8),
    span.parent === undefined ? '00'.repeat(8) : hex(span.parent, 8),
    KINDS[span.kind],
    span.service,
    span.error ? 2 : 0,
    span.peer ?? '',
    span.database ?? '',
    span.traceState ?? '',
    (span.links ?? []).map((id) => hex(id, 8)),
  ]);
  // A parameter of a ClickHouse server holds 128 KiB at most.
  for (let i = 0; i < rows.length; i += AT_ONCE)
    await store.derive(tenant, SPANS, { rows: JSON.stringify(rows.slice(i, i + AT_ONCE)) });
}

export interface TestFlow {
  from: string;
  to: string;
  /** Unix milliseconds and the counter's value then. */
  points: readonly (readonly [number, number])[];
  direction?: string;
  /** Attributes beside those that OBI sends by default. */
  labels?: Readonly<Record<string, string>>;
}

const SERIES = `INSERT INTO metric_series (tenant_id, metric, fp, month, otel_name, unit, kind, labels)
  SELECT {tenant:String}, 'obi_network_flow_bytes_total', r.1, 202611, 'obi.network.flow.bytes', 'By', 'sum', r.2
  FROM (SELECT arrayJoin(JSONExtract({rows:String}, 'Array(Tuple(UInt64, Map(String, String)))')) AS r)`;
const POINTS = `INSERT INTO metric_points (tenant_id, metric, fp, ts, value, keep_days)
  SELECT {tenant:String}, 'obi_network_flow_bytes_total', r.1, fromUnixTimestamp64Milli(r.2), r.3, 30
  FROM (SELECT arrayJoin(JSONExtract({rows:String}, 'Array(Tuple(UInt64, Int64, Float64))')) AS r)`;

/** Counters of OBI with the attributes that it sends by default. */
export async function writeFlows(store: ColumnStore, tenant: TenantId, flows: readonly TestFlow[]): Promise<void> {
  const series = flows.map(({ from, to, direction = 'egress', labels }, i) => [
    i + 1,
    { 'k8s.src.owner.name': from, 'k8s.dst.owner.name': to, 'iface.direction': direction, ...labels },
  ]);
  const points = flows.flatMap(({ points: own }, i) => own.map(([atMs, value]) => [i + 1, atMs, value]));
  await store.derive(tenant, SERIES, { rows: JSON.stringify(series) });
  await store.derive(tenant, POINTS, { rows: JSON.stringify(points) });
}
