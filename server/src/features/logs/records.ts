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
  attributes: Texts,
  resource: Texts,
  scope: z.string(),
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
  attributes: Record<string, string>;
  resource: Record<string, string>;
  scope: string;
  dropped: number;
  cut: number;
}

/** Most characters of a body, and of one value, in a list. */
const BODY_SHOWN = 4096;
const VALUE_SHOWN = 512;

const cutMap = (name: string): string => `mapApply((k, v) -> (k, substringUTF8(v, 1, ${VALUE_SHOWN})), ${name})`;
const isLong = (name: string): string => `arrayExists(v -> length(v) > ${VALUE_SHOWN}, mapValues(${name}))`;

const COMMON = `toString(toUnixTimestamp64Nano(ts)) AS ts_ns, toString(toUnixTimestamp64Nano(observed_ts)) AS observed_ns,
  bus_partition AS at_partition, toString(bus_offset) AS at_offset, row AS at_row, severity, severity_text, service, event_name,
  lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, scope, dropped`;

/** Columns of a record as a list shows it; taken from a subquery that sorted and cut, so that only shown rows are worked on. */
export const SHOWN = `${COMMON}, substringUTF8(body, 1, ${BODY_SHOWN}) AS body, ${cutMap('attributes')} AS attributes,
  ${cutMap('resource')} AS resource, length(page.body) > ${BODY_SHOWN} OR ${isLong('page.attributes')} OR ${isLong('page.resource')} AS cut`;
/** The same, whole. */
export const WHOLE = `${COMMON}, body, attributes, resource, 0 AS cut`;

const COLUMNS =
  'ts, observed_ts, bus_partition, bus_offset, row, severity, severity_text, service, event_name, trace_id, span_id, scope, dropped, body, attributes, resource';
export const NEWEST_FIRST = 'ts DESC, bus_partition DESC, bus_offset DESC, row DESC';
export const OLDEST_FIRST = 'ts, bus_partition, bus_offset, row';

/** The first `{limit: UInt32}` records of a condition in an order. */
export const pageSql = (where: string, order: typeof NEWEST_FIRST | typeof OLDEST_FIRST): string =>
  `SELECT ${SHOWN} FROM (SELECT ${COLUMNS} FROM logs WHERE ${where} ORDER BY ${order} LIMIT {limit:UInt32}) AS page ORDER BY ${order}`;

const NO_ID = /^0*$/;

export function toRecord(row: LogRow): LogRecord {
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
    attributes: row.attributes,
    resource: row.resource,
    scope: row.scope,
    dropped: row.dropped,
    cut: row.cut === 1,
  };
}
