/** What a signal can be of; without zod, since the console reads it too. */
export const PLANES = ['tests', 'endpoint', 'otlp', 'rum'] as const;
export type Plane = (typeof PLANES)[number];

export const SIGNAL_KINDS = [
  'test.failing',
  'test.certificate_expiring',
  'test.not_running',
  'endpoint.shared_cause',
  'otlp.edge_failing',
  'rum.user_impact_correlated',
  'rum.user_impact_unseen_by_synthetics',
] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];

/** Low to high. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];
