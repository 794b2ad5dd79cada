/** Whose figures a metric holds; each source is kept for a time of its own. */
export type MetricSource = 'application' | 'host' | 'flow';

/** Beginnings of names as a TSDB writes them. */
export const METRIC_SOURCE_PREFIXES = {
  host: ['system_', 'k8s_', 'host_'],
  flow: ['obi_network_flow_', 'hw_network_'],
} as const satisfies Record<Exclude<MetricSource, 'application'>, readonly string[]>;

/** The source of a metric, by its TSDB name. */
export function sourceOfMetric(metric: string): MetricSource {
  if (METRIC_SOURCE_PREFIXES.host.some((prefix) => metric.startsWith(prefix))) return 'host';
  return METRIC_SOURCE_PREFIXES.flow.some((prefix) => metric.startsWith(prefix)) ? 'flow' : 'application';
}
