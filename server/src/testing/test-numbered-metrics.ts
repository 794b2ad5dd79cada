import { encodeConforming } from '@svc/otlp-wire/test-conforming';
import { parseTenantId } from '#kernel';

const HOUR_MS = 3_600_000;
export const TENANTS = ['a', 'b'].map(parseTenantId);
/** Numbers that one start of a process may use. */
export const PER_START = 1500;
/** An hour is rolled up when its last write is five minutes old: whoever rolls up lives so much later. */
export const LATER_MS = 6 * 60_000;
/** The beginning of a quarter of a day that is over. */
const BEGIN = Math.floor(Date.now() / (6 * HOUR_MS)) * 6 * HOUR_MS - 12 * HOUR_MS;

/** When the points of a message are, Unix ms: of two hours in turns. */
export const timeOf = (number: number): number => BEGIN + (number % 2) * HOUR_MS + number * 300;

/** A counter and a histogram that have both counted to `number`. */
export function numberedMetrics(number: number): Buffer {
  const time_unix_nano = String(BigInt(timeOf(number)) * 1_000_000n);
  const point = { time_unix_nano, attributes: [{ key: 'route', value: { string_value: '/' } }] };
  const sum = { aggregation_temporality: 2, is_monotonic: true, data_points: [{ ...point, as_int: String(number) }] };
  const buckets = { explicit_bounds: [1], bucket_counts: ['0', String(number)] };
  const histogram = {
    aggregation_temporality: 2,
    data_points: [{ ...point, ...buckets, count: String(number), sum: 2 * number, min: 2, max: 2 }],
  };
  const metrics = [
    { name: 'requests', sum },
    { name: 'latency', unit: 's', histogram },
  ];
  return encodeConforming('metrics', { resource_metrics: [{ scope_metrics: [{ metrics }] }] });
}
