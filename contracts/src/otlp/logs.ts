import type { EnumTables, MessageTables } from './table-types.ts';

/** opentelemetry/proto/collector/logs/v1/logs_service.proto and logs/v1/logs.proto. */
export const LOGS_MESSAGES = {
  ExportLogsServiceRequest: [[1, 'resource_logs', 'resourceLogs', 'ResourceLogs', 'repeated']],
  ExportLogsServiceResponse: [[1, 'partial_success', 'partialSuccess', 'ExportLogsPartialSuccess']],
  ExportLogsPartialSuccess: [
    [1, 'rejected_log_records', 'rejectedLogRecords', 'int64'],
    [2, 'error_message', 'errorMessage', 'string'],
  ],
  ResourceLogs: [
    [1, 'resource', 'resource', 'Resource'],
    [2, 'scope_logs', 'scopeLogs', 'ScopeLogs', 'repeated'],
    [3, 'schema_url', 'schemaUrl', 'string'],
  ],
  ScopeLogs: [
    [1, 'scope', 'scope', 'InstrumentationScope'],
    [2, 'log_records', 'logRecords', 'LogRecord', 'repeated'],
    [3, 'schema_url', 'schemaUrl', 'string'],
  ],
  LogRecord: [
    [1, 'time_unix_nano', 'timeUnixNano', 'fixed64'],
    [2, 'severity_number', 'severityNumber', 'SeverityNumber'],
    [3, 'severity_text', 'severityText', 'string'],
    [5, 'body', 'body', 'AnyValue'],
    [6, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [7, 'dropped_attributes_count', 'droppedAttributesCount', 'uint32'],
    [8, 'flags', 'flags', 'fixed32'],
    [9, 'trace_id', 'traceId', 'bytes'],
    [10, 'span_id', 'spanId', 'bytes'],
    [11, 'observed_time_unix_nano', 'observedTimeUnixNano', 'fixed64'],
    [12, 'event_name', 'eventName', 'string'],
  ],
} as const satisfies MessageTables;

export const LOGS_ENUMS = {
  SeverityNumber: {
    SEVERITY_NUMBER_UNSPECIFIED: 0,
    SEVERITY_NUMBER_TRACE: 1,
    SEVERITY_NUMBER_TRACE2: 2,
    SEVERITY_NUMBER_TRACE3: 3,
    SEVERITY_NUMBER_TRACE4: 4,
    SEVERITY_NUMBER_DEBUG: 5,
    SEVERITY_NUMBER_DEBUG2: 6,
    SEVERITY_NUMBER_DEBUG3: 7,
    SEVERITY_NUMBER_DEBUG4: 8,
    SEVERITY_NUMBER_INFO: 9,
    SEVERITY_NUMBER_INFO2: 10,
    SEVERITY_NUMBER_INFO3: 11,
    SEVERITY_NUMBER_INFO4: 12,
    SEVERITY_NUMBER_WARN: 13,
    SEVERITY_NUMBER_WARN2: 14,
    SEVERITY_NUMBER_WARN3: 15,
    SEVERITY_NUMBER_WARN4: 16,
    SEVERITY_NUMBER_ERROR: 17,
    SEVERITY_NUMBER_ERROR2: 18,
    SEVERITY_NUMBER_ERROR3: 19,
    SEVERITY_NUMBER_ERROR4: 20,
    SEVERITY_NUMBER_FATAL: 21,
    SEVERITY_NUMBER_FATAL2: 22,
    SEVERITY_NUMBER_FATAL3: 23,
    SEVERITY_NUMBER_FATAL4: 24,
  },
} as const satisfies EnumTables;
