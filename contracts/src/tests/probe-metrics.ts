import { PHASE_KEYS, TOTAL_KEY } from './canonical-run.ts';
import type { Phase } from './run-report.ts';

/** What runs of tests say as metrics of their tenant (docs/contract/tests.md#metrics): a closed list, so that no runner can invent series. */

export interface ProbeMetric {
  /** In a TSDB. */
  metric: string;
  /** On OTLP export. */
  exportName: string;
  /** UCUM. */
  unit: string;
  description: string;
}

const metricOf = (name: string, unit: string, description: string): ProbeMetric => ({
  ...{ metric: `svc_probe_${name}`, exportName: `svc.probe.${name}` },
  ...{ unit, description },
});

export const PROBE_SUCCESS = metricOf('success', '1', 'Whether a run of a test passed: 1 or 0');
const PHASE = metricOf('phase_ms', 'ms', 'How long a phase of a run took');

/** By the key that a run tells it under; phases are one metric with a label. */
const OF_KEYS: ReadonlyMap<string, ProbeMetric> = new Map([
  [TOTAL_KEY, metricOf('duration_ms', 'ms', 'How long a run took in all')],
  ['certificate.days', metricOf('certificate_days', 'd', 'Days until the certificate of the target ends')],
  ['status', metricOf('status_code', '1', 'Status of the answer')],
  ['bytes', metricOf('received_bytes', 'By', 'Size of the answer')],
  ['redirects', metricOf('redirects', '1', 'Redirects that were followed')],
  ['packet.loss.ratio', metricOf('packet_loss_ratio', '1', 'Packets without an answer, of those sent')],
  ['rtt.min.ms', metricOf('rtt_min_ms', 'ms', 'Shortest round trip')],
  ['rtt.avg.ms', metricOf('rtt_avg_ms', 'ms', 'Mean round trip')],
  ['rtt.max.ms', metricOf('rtt_max_ms', 'ms', 'Longest round trip')],
  ['jitter.ms', metricOf('jitter_ms', 'ms', 'How much round trips differ from one to the next')],
  ['ttl.seconds', metricOf('dns_ttl_seconds', 's', 'Shortest time to live of the answer')],
  ['requests', metricOf('requests', '1', 'Requests that a page made')],
  ['requests.failed', metricOf('requests_failed', '1', 'Requests of a page that failed')],
  ['lcp.ms', metricOf('lcp_ms', 'ms', 'Largest contentful paint')],
  ['fcp.ms', metricOf('fcp_ms', 'ms', 'First contentful paint')],
  ['cls', metricOf('cls', '1', 'Cumulative layout shift')],
]);

const PHASE_OF_KEY: ReadonlyMap<string, Phase> = new Map(
  (Object.entries(PHASE_KEYS) as [Phase, string][]).map(([phase, key]) => [key, phase]),
);

export const PROBE_METRICS: readonly ProbeMetric[] = [PROBE_SUCCESS, PHASE, ...OF_KEYS.values()];

/** The metric of one numeric key of a run, with the phase where it is one; undefined for a key that makes none. */
export function findProbeMetric(key: string): { metric: ProbeMetric; phase: Phase | undefined } | undefined {
  const phase = PHASE_OF_KEY.get(key);
  const metric = phase === undefined ? OF_KEYS.get(key) : PHASE;
  return metric && { metric, phase };
}
