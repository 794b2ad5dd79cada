import { METRIC_KEYS } from '@svc/contracts/results/endpoint-results';
import { expect, test } from 'vitest';
import { metricSeriesOf } from './metric-series.ts';

test('gives every key of the table its series', () => {
  for (const { type, key, series, label } of METRIC_KEYS) {
    const value = { hop: '3', segment: 'isp-edge', layer: 'wifi' }[label ?? 'hop'];
    const expected = { metric: series, labels: label ? { [label]: value } : {} };
    expect(metricSeriesOf(type, key.replace(/<\w+>/, value))).toEqual(expected);
  }
});

test.each(['hop.65.rtt.avg.ms', 'hop.0.rtt.avg.ms', 'hop.x.rtt.avg.ms', 'segment.mars.rtt.avg.ms', 'invented.ms'])(
  'makes no series of %s',
  (key) => {
    expect(metricSeriesOf('endpoint.lastmile', key)).toBeUndefined();
  },
);

test('names the keys of other types after type and key', () => {
  expect(metricSeriesOf('rum', 'lcp.ms')).toEqual({ metric: 'svc_rum_lcp_ms', labels: {} });
  expect(metricSeriesOf('https', "x') OR 1")).toBeUndefined();
});
