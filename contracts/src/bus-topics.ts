/** The bus topics (docs/contract/results.md). The key is always the tenant's id; values are JSON of the canonical result envelope. */
export const TOPICS = {
  endpointResults: 'svc.endpoint.results',
  networkResults: 'svc.network.results',
  rumEvents: 'svc.rum.events',
  otlpMetrics: 'svc.otlp.metrics',
  otlpTraces: 'svc.otlp.traces',
  otlpLogs: 'svc.otlp.logs',
  changes: 'svc.changes',
} as const;
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

/** Consumer groups; each reads every message of its topics once (at least). */
export const GROUPS = {
  results: 'svc.results',
  endpointView: 'svc.endpoint-view',
  otlpStore: 'svc.otlp-store',
  otlpExport: 'svc.otlp-export',
  tests: 'svc.tests',
  changes: 'svc.changes',
  testMetrics: 'svc.test-metrics',
  rum: 'svc.rum',
} as const;
