import { type CanaryType, ENDPOINT_TYPES, type EndpointType } from '@svc/contracts/results/canonical-result';
import { findMetricKey, SEGMENTS } from '@svc/contracts/results/endpoint-results';
import { isTestType } from '@svc/contracts/tests/test';
import { LAYERS } from '@svc/contracts/verdict';

/** Where a numeric key of a result goes: its metric and the label that its variable part becomes. */
export interface MetricSeries {
  metric: string;
  labels: { hop?: string; segment?: string; layer?: string };
}

const ENDPOINT: ReadonlySet<string> = new Set(ENDPOINT_TYPES);
const NAME = /^[a-z0-9_.]+$/;

/** Values that the labels may have: a device cannot make series without end by inventing some. */
const LABEL_VALUES: Readonly<Record<'hop' | 'segment' | 'layer', ReadonlySet<string>>> = {
  hop: new Set(Array.from({ length: 64 }, (_, i) => String(i + 1))),
  segment: new Set(SEGMENTS),
  layer: new Set(LAYERS),
};

/**
 * The series of one numeric key. Endpoint keys come from the one table of contracts, so that no device can invent series; other types
 * are `svc_<type>_<key>`, but for those of tests, which the slice of their runs makes metrics of. Undefined for a key that becomes none: it is still
 * kept in the raw result.
 */
export function metricSeriesOf(type: CanaryType, key: string): MetricSeries | undefined {
  if (isTestType(type)) return undefined;
  if (!ENDPOINT.has(type)) return NAME.test(key) ? { metric: `svc_${type}_${key.replaceAll('.', '_')}`, labels: {} } : undefined;
  const found = findMetricKey(type as EndpointType, key);
  if (!found) return undefined;
  const { label, series } = found.row;
  if (label === undefined || found.labelValue === undefined) return { metric: series, labels: {} };
  return LABEL_VALUES[label].has(found.labelValue) ? { metric: series, labels: { [label]: found.labelValue } } : undefined;
}
