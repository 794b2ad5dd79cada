import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** A span to be written; what is left out is empty. Times in nanoseconds. */
export interface TestSpan {
  trace: string;
  id: string;
  parent?: string;
  at: bigint;
  duration: number;
  name?: string;
  service?: string;
  kind?: number;
  status?: number;
  route?: string;
  httpStatus?: number;
  attributes?: Record<string, string>;
  types?: string;
  resource?: Record<string, string>;
  events?: { at: bigint; name: string; attributes: Record<string, string> }[];
  links?: { trace: string; span: string }[];
}

const SHAPE = `Array(Tuple(Int64, UInt64, String, String, String, String, UInt8, String, UInt8, String, UInt16,
  Map(String, String), String, Map(String, String), Array(Int64), Array(String), Array(Map(String, String)), Array(String), Array(String)))`;

const INSERT = `INSERT INTO spans (tenant_id, ts, duration_ns, trace_id, span_id, parent_id, name, kind, service, status, http_route,
    http_status, attributes, attribute_types, resource, resource_types, event_ts, event_names, event_attributes, event_attribute_types,
    link_trace_ids, link_span_ids, link_attributes, link_attribute_types, dropped)
  SELECT {tenant:String}, fromUnixTimestamp64Nano(r.1), r.2, unhex(r.3), unhex(r.4), unhex(r.5), r.6, r.7, r.8, r.9, r.10, r.11,
    r.12, r.13, r.14, repeat('s', length(r.14)), arrayMap(t -> fromUnixTimestamp64Nano(t), r.15), r.16, r.17,
    arrayMap(m -> repeat('s', length(m)), r.17), arrayMap(i -> unhex(i), r.18), arrayMap(i -> unhex(i), r.19),
    arrayMap(i -> map(), r.18), arrayMap(i -> '', r.18), [0, 0, 0]
  FROM (SELECT arrayJoin(JSONExtract({rows:String}, '${SHAPE}')) AS r)`;

/** Writes rows as the otlp slice would. */
export async function writeSpans(store: ColumnStore, tenant: TenantId, spans: readonly TestSpan[]): Promise<void> {
  const rows = spans.map((span) => [
    String(span.at),
    span.duration,
    span.trace,
    span.id,
    span.parent ?? '0'.repeat(16),
    span.name ?? 'GET /',
    span.kind ?? 1,
    span.service ?? 'shop',
    span.status ?? 0,
    span.route ?? '',
    span.httpStatus ?? 0,
    span.attributes ?? {},
    span.types ?? 's'.repeat(Object.keys(span.attributes ?? {}).length),
    span.resource ?? {},
    (span.events ?? []).map(({ at }) => String(at)),
    (span.events ?? []).map(({ name }) => name),
    (span.events ?? []).map(({ attributes }) => attributes),
    (span.links ?? []).map(({ trace }) => trace),
    (span.links ?? []).map(({ span: of }) => of),
  ]);
  await store.derive(tenant, INSERT, { rows: JSON.stringify(rows) });
}
