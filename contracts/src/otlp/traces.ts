import type { EnumTables, MessageTables } from './table-types.ts';

/** opentelemetry/proto/collector/trace/v1/trace_service.proto and trace/v1/trace.proto. */
export const TRACES_MESSAGES = {
  ExportTraceServiceRequest: [[1, 'resource_spans', 'resourceSpans', 'ResourceSpans', 'repeated']],
  ExportTraceServiceResponse: [[1, 'partial_success', 'partialSuccess', 'ExportTracePartialSuccess']],
  ExportTracePartialSuccess: [
    [1, 'rejected_spans', 'rejectedSpans', 'int64'],
    [2, 'error_message', 'errorMessage', 'string'],
  ],
  ResourceSpans: [
    [1, 'resource', 'resource', 'Resource'],
    [2, 'scope_spans', 'scopeSpans', 'ScopeSpans', 'repeated'],
    [3, 'schema_url', 'schemaUrl', 'string'],
  ],
  ScopeSpans: [
    [1, 'scope', 'scope', 'InstrumentationScope'],
    [2, 'spans', 'spans', 'Span', 'repeated'],
    [3, 'schema_url', 'schemaUrl', 'string'],
  ],
  Span: [
    [1, 'trace_id', 'traceId', 'bytes'],
    [2, 'span_id', 'spanId', 'bytes'],
    [3, 'trace_state', 'traceState', 'string'],
    [4, 'parent_span_id', 'parentSpanId', 'bytes'],
    [5, 'name', 'name', 'string'],
    [6, 'kind', 'kind', 'Span.SpanKind'],
    [7, 'start_time_unix_nano', 'startTimeUnixNano', 'fixed64'],
    [8, 'end_time_unix_nano', 'endTimeUnixNano', 'fixed64'],
    [9, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [10, 'dropped_attributes_count', 'droppedAttributesCount', 'uint32'],
    [11, 'events', 'events', 'Span.Event', 'repeated'],
    [12, 'dropped_events_count', 'droppedEventsCount', 'uint32'],
    [13, 'links', 'links', 'Span.Link', 'repeated'],
    [14, 'dropped_links_count', 'droppedLinksCount', 'uint32'],
    [15, 'status', 'status', 'Status'],
    [16, 'flags', 'flags', 'fixed32'],
  ],
  'Span.Event': [
    [1, 'time_unix_nano', 'timeUnixNano', 'fixed64'],
    [2, 'name', 'name', 'string'],
    [3, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [4, 'dropped_attributes_count', 'droppedAttributesCount', 'uint32'],
  ],
  'Span.Link': [
    [1, 'trace_id', 'traceId', 'bytes'],
    [2, 'span_id', 'spanId', 'bytes'],
    [3, 'trace_state', 'traceState', 'string'],
    [4, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [5, 'dropped_attributes_count', 'droppedAttributesCount', 'uint32'],
    [6, 'flags', 'flags', 'fixed32'],
  ],
  Status: [
    [2, 'message', 'message', 'string'],
    [3, 'code', 'code', 'Status.StatusCode'],
  ],
} as const satisfies MessageTables;

export const TRACES_ENUMS = {
  'Span.SpanKind': {
    SPAN_KIND_UNSPECIFIED: 0,
    SPAN_KIND_INTERNAL: 1,
    SPAN_KIND_SERVER: 2,
    SPAN_KIND_CLIENT: 3,
    SPAN_KIND_PRODUCER: 4,
    SPAN_KIND_CONSUMER: 5,
  },
  'Status.StatusCode': {
    STATUS_CODE_UNSET: 0,
    STATUS_CODE_OK: 1,
    STATUS_CODE_ERROR: 2,
  },
} as const satisfies EnumTables;
