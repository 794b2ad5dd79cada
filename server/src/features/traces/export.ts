import { type ExportedColumns, minutesOfTime } from '#telemetry';

/** Times as text: nanoseconds do not fit into a number of JSON. */
export const SPANS: ExportedColumns = {
  table: 'spans',
  select: `toString(ts) AS time, toString(duration_ns) AS duration_nanos, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span,
    lower(hex(parent_id)) AS parent, trace_state, flags, name, kind, service, resource, resource_types, scope, scope_version, attributes,
    attribute_types, status, status_message, arrayMap(t -> toString(t), event_ts) AS event_times, event_names, event_attributes,
    event_attribute_types, origin, extras`,
  key: [
    ['toUnixTimestamp64Nano(ts)', 'Int64'],
    ['hex(trace_id)', 'String'],
    ['hex(span_id)', 'String'],
    ['bus_partition', 'UInt16'],
    ['bus_offset', 'UInt64'],
  ],
  stretch: minutesOfTime('ts'),
  pageRows: 500,
};
