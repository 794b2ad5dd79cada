import { parseOriginNotes, type TypedAttributes } from '@svc/contracts/otlp/origin-notes';
import { z } from 'zod';
import { formatNs } from './domain/instants.ts';
import { encodePlace } from './domain/place.ts';

const Texts = z.record(z.string(), z.string());

/** One log record. Ids are lower-case hex, null where the record has none; times are RFC 3339 to the nanosecond. */
export const LogRecord = z.object({
  id: z.string(),
  ts: z.string(),
  observed_ts: z.string(),
  /** SeverityNumber, 0 where the sender gave none. */
  severity: z.int(),
  severity_text: z.string(),
  service: z.string(),
  /** Text as it came, any other value as JSON. */
  body: z.string(),
  event_name: z.string(),
  trace_id: z.string().nullable(),
  span_id: z.string().nullable(),
  /** W3C trace flags in the lowest eight bits. */
  flags: z.int(),
  attributes: Texts,
  resource: Texts,
  resource_schema_url: z.string(),
  scope: z.string(),
  scope_version: z.string(),
  scope_attributes: Texts,
  scope_schema_url: z.string(),
  /** Attributes that the sender dropped. */
  dropped: z.int(),
  /** Body or values are cut to what a list shows; `GET /v1/otlp/logs/{id}` has them whole. */
  cut: z.boolean(),
});
export type LogRecord = z.infer<typeof LogRecord>;

export interface LogRow {
  ts_ns: string;
  observed_ns: string;
  at_partition: number;
  at_offset: string;
  at_row: number;
  severity: number;
  severity_text: string;
  service: string;
  body: string;
  event_name: string;
  trace: string;
  span: string;
  flags: number;
  attributes: Record<string, string>;
  resource: Record<string, string>;
  scope: string;
  scope_version: string;
  /** Notes as in contracts/src/otlp/origin-notes.ts. */
  origin: string;
  dropped: number;
  cut: number;
}

const NO_ID = /^0*$/;

function toTexts({ keys, values }: TypedAttributes): Record<string, string> {
  return Object.fromEntries(keys.map((key, i) => [key, values[i] ?? '']));
}

export function toRecord(row: LogRow): LogRecord {
  const { resource = {}, scope = {} } = parseOriginNotes(row.origin);
  const ts = BigInt(row.ts_ns);
  const place = { ts, partition: row.at_partition, offset: BigInt(row.at_offset), row: row.at_row };
  return {
    id: encodePlace(place),
    ts: formatNs(ts),
    observed_ts: formatNs(BigInt(row.observed_ns)),
    severity: row.severity,
    severity_text: row.severity_text,
    service: row.service,
    body: row.body,
    event_name: row.event_name,
    trace_id: NO_ID.test(row.trace) ? null : row.trace,
    span_id: NO_ID.test(row.span) ? null : row.span,
    flags: row.flags,
    attributes: row.attributes,
    resource: row.resource,
    resource_schema_url: resource.schemaUrl ?? '',
    scope: row.scope,
    scope_version: row.scope_version,
    scope_attributes: scope.attributes ? toTexts(scope.attributes) : {},
    scope_schema_url: scope.schemaUrl ?? '',
    dropped: row.dropped,
    cut: row.cut === 1,
  };
}
