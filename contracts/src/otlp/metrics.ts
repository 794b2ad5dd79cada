import type { EnumTables, MessageTables } from './table-types.ts';

/** opentelemetry/proto/collector/metrics/v1/metrics_service.proto and metrics/v1/metrics.proto. */
export const METRICS_MESSAGES = {
  ExportMetricsServiceRequest: [[1, 'resource_metrics', 'resourceMetrics', 'ResourceMetrics', 'repeated']],
  ExportMetricsServiceResponse: [[1, 'partial_success', 'partialSuccess', 'ExportMetricsPartialSuccess']],
  ExportMetricsPartialSuccess: [
    [1, 'rejected_data_points', 'rejectedDataPoints', 'int64'],
    [2, 'error_message', 'errorMessage', 'string'],
  ],
  ResourceMetrics: [
    [1, 'resource', 'resource', 'Resource'],
    [2, 'scope_metrics', 'scopeMetrics', 'ScopeMetrics', 'repeated'],
    [3, 'schema_url', 'schemaUrl', 'string'],
  ],
  ScopeMetrics: [
    [1, 'scope', 'scope', 'InstrumentationScope'],
    [2, 'metrics', 'metrics', 'Metric', 'repeated'],
    [3, 'schema_url', 'schemaUrl', 'string'],
  ],
  Metric: [
    [1, 'name', 'name', 'string'],
    [2, 'description', 'description', 'string'],
    [3, 'unit', 'unit', 'string'],
    [5, 'gauge', 'gauge', 'Gauge', 'oneof data'],
    [7, 'sum', 'sum', 'Sum', 'oneof data'],
    [9, 'histogram', 'histogram', 'Histogram', 'oneof data'],
    [10, 'exponential_histogram', 'exponentialHistogram', 'ExponentialHistogram', 'oneof data'],
    [11, 'summary', 'summary', 'Summary', 'oneof data'],
    [12, 'metadata', 'metadata', 'KeyValue', 'repeated'],
  ],
  Gauge: [[1, 'data_points', 'dataPoints', 'NumberDataPoint', 'repeated']],
  Sum: [
    [1, 'data_points', 'dataPoints', 'NumberDataPoint', 'repeated'],
    [2, 'aggregation_temporality', 'aggregationTemporality', 'AggregationTemporality'],
    [3, 'is_monotonic', 'isMonotonic', 'bool'],
  ],
  Histogram: [
    [1, 'data_points', 'dataPoints', 'HistogramDataPoint', 'repeated'],
    [2, 'aggregation_temporality', 'aggregationTemporality', 'AggregationTemporality'],
  ],
  ExponentialHistogram: [
    [1, 'data_points', 'dataPoints', 'ExponentialHistogramDataPoint', 'repeated'],
    [2, 'aggregation_temporality', 'aggregationTemporality', 'AggregationTemporality'],
  ],
  Summary: [[1, 'data_points', 'dataPoints', 'SummaryDataPoint', 'repeated']],
  NumberDataPoint: [
    [2, 'start_time_unix_nano', 'startTimeUnixNano', 'fixed64'],
    [3, 'time_unix_nano', 'timeUnixNano', 'fixed64'],
    [4, 'as_double', 'asDouble', 'double', 'oneof value'],
    [5, 'exemplars', 'exemplars', 'Exemplar', 'repeated'],
    [6, 'as_int', 'asInt', 'sfixed64', 'oneof value'],
    [7, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [8, 'flags', 'flags', 'uint32'],
  ],
  HistogramDataPoint: [
    [2, 'start_time_unix_nano', 'startTimeUnixNano', 'fixed64'],
    [3, 'time_unix_nano', 'timeUnixNano', 'fixed64'],
    [4, 'count', 'count', 'fixed64'],
    [5, 'sum', 'sum', 'double', 'optional'],
    [6, 'bucket_counts', 'bucketCounts', 'fixed64', 'repeated'],
    [7, 'explicit_bounds', 'explicitBounds', 'double', 'repeated'],
    [8, 'exemplars', 'exemplars', 'Exemplar', 'repeated'],
    [9, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [10, 'flags', 'flags', 'uint32'],
    [11, 'min', 'min', 'double', 'optional'],
    [12, 'max', 'max', 'double', 'optional'],
  ],
  ExponentialHistogramDataPoint: [
    [1, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [2, 'start_time_unix_nano', 'startTimeUnixNano', 'fixed64'],
    [3, 'time_unix_nano', 'timeUnixNano', 'fixed64'],
    [4, 'count', 'count', 'fixed64'],
    [5, 'sum', 'sum', 'double', 'optional'],
    [6, 'scale', 'scale', 'sint32'],
    [7, 'zero_count', 'zeroCount', 'fixed64'],
    [8, 'positive', 'positive', 'ExponentialHistogramDataPoint.Buckets'],
    [9, 'negative', 'negative', 'ExponentialHistogramDataPoint.Buckets'],
    [10, 'flags', 'flags', 'uint32'],
    [11, 'exemplars', 'exemplars', 'Exemplar', 'repeated'],
    [12, 'min', 'min', 'double', 'optional'],
    [13, 'max', 'max', 'double', 'optional'],
    [14, 'zero_threshold', 'zeroThreshold', 'double'],
  ],
  'ExponentialHistogramDataPoint.Buckets': [
    [1, 'offset', 'offset', 'sint32'],
    [2, 'bucket_counts', 'bucketCounts', 'uint64', 'repeated'],
  ],
  SummaryDataPoint: [
    [2, 'start_time_unix_nano', 'startTimeUnixNano', 'fixed64'],
    [3, 'time_unix_nano', 'timeUnixNano', 'fixed64'],
    [4, 'count', 'count', 'fixed64'],
    [5, 'sum', 'sum', 'double'],
    [6, 'quantile_values', 'quantileValues', 'SummaryDataPoint.ValueAtQuantile', 'repeated'],
    [7, 'attributes', 'attributes', 'KeyValue', 'repeated'],
    [8, 'flags', 'flags', 'uint32'],
  ],
  'SummaryDataPoint.ValueAtQuantile': [
    [1, 'quantile', 'quantile', 'double'],
    [2, 'value', 'value', 'double'],
  ],
  Exemplar: [
    [2, 'time_unix_nano', 'timeUnixNano', 'fixed64'],
    [3, 'as_double', 'asDouble', 'double', 'oneof value'],
    [4, 'span_id', 'spanId', 'bytes'],
    [5, 'trace_id', 'traceId', 'bytes'],
    [6, 'as_int', 'asInt', 'sfixed64', 'oneof value'],
    [7, 'filtered_attributes', 'filteredAttributes', 'KeyValue', 'repeated'],
  ],
} as const satisfies MessageTables;

export const METRICS_ENUMS = {
  AggregationTemporality: {
    AGGREGATION_TEMPORALITY_UNSPECIFIED: 0,
    AGGREGATION_TEMPORALITY_DELTA: 1,
    AGGREGATION_TEMPORALITY_CUMULATIVE: 2,
  },
} as const satisfies EnumTables;
