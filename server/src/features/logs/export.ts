import { type ExportedColumns, minutesOfTime } from '#telemetry';

/** Times as text: nanoseconds do not fit into a number of JSON. */
export const LOGS: ExportedColumns = {
  table: 'logs',
  select: `toString(ts) AS time, toString(observed_ts) AS observed_time, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, flags,
    severity, severity_text, event_name, body, body_type, service, resource, resource_types, scope, scope_version, attributes,
    attribute_types, dropped, origin`,
  key: [
    ['toUnixTimestamp64Nano(ts)', 'Int64'],
    ['bus_partition', 'UInt16'],
    ['bus_offset', 'UInt64'],
    ['toUnixTimestamp64Milli(received)', 'Int64'],
    ['row', 'UInt32'],
  ],
  stretch: minutesOfTime('ts'),
  // A body has 64 KiB at most.
  pageRows: 500,
};
