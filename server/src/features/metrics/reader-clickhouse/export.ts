import { type ExportedColumns, minutesOfTime, stretchesOfNumber } from '#telemetry';

const SERIES = ['metric', 'String'] as const;
const FINGERPRINT = ['fp', 'UInt64'] as const;
const TIME = ['toUnixTimestamp64Milli(ts)', 'Int64'] as const;
const pointKey = [SERIES, FINGERPRINT, TIME];
const POINT = 'metric, toString(fp) AS series, toString(ts) AS time';

/** Series by month with the names and labels that their numbers stand for, then points, histograms, exemplars and hours by series. */
export const EXPORTED: readonly ExportedColumns[] = [
  {
    table: 'metric_series',
    select: `month, metric, toString(fp) AS series, otel_name, unit, description, kind, service, scope, scope_version, origin, labels`,
    key: [SERIES, FINGERPRINT],
    stretch: stretchesOfNumber('month'),
    pageRows: 1000,
  },
  { table: 'metric_points', select: `${POINT}, value`, key: pointKey, stretch: minutesOfTime('ts'), pageRows: 5000 },
  {
    table: 'metric_histograms',
    select: `${POINT}, count, sum, min, max, bounds, counts, quantile_values, scale, zero_count, zero_threshold, positive_offset,
      positive_counts, negative_offset, negative_counts`,
    key: pointKey,
    stretch: minutesOfTime('ts'),
    pageRows: 1000,
  },
  {
    table: 'metric_exemplars',
    select: `${POINT}, value, lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, attributes`,
    key: [...pointKey, ['hex(trace_id)', 'String'], ['hex(span_id)', 'String']],
    stretch: minutesOfTime('ts'),
    pageRows: 1000,
  },
  {
    table: 'metric_hours',
    select: `metric, toString(fp) AS series, hour, points, first, last, increase, total, least, most, count_first, count_last,
      count_increase, count_total`,
    key: [SERIES, FINGERPRINT, ['hour', 'UInt32']],
    stretch: stretchesOfNumber('hour', 24),
    newest: 'version DESC',
    pageRows: 5000,
  },
];
