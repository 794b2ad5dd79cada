import type { TallyEntry } from './tally.ts';

/** What slices count for operations, under their OpenTelemetry names. */
export const COUNTERS = {
  'svc.ingest.accepted': { unit: '{item}', description: 'Items taken in, by source and tenant where it is known.' },
  'svc.ingest.refused': {
    unit: '{item}',
    description: 'Items refused for good, by source, reason and tenant where it is known.',
  },
  'svc.ingest.truncated': { unit: '{item}', description: 'Items kept with something cut off to fit their bounds.' },
  'svc.ingest.stored': { unit: '{item}', description: 'Items that the store took.' },
  'svc.ingest.overflow': {
    unit: '{item}',
    description: 'Items beyond a bound of cardinality, by kind, outcome and tenant.',
  },
  'svc.otlp.held': { unit: '{answer}', description: 'Answers to OTLP requests that were held back, by tenant.' },
  'svc.bus.quarantined': { unit: '{message}', description: 'Messages of the bus set aside, by topic, tenant and reason.' },
  'svc.bus.quarantine.dropped': {
    unit: '{message}',
    description: 'Messages set aside that went to make room for others of their tenant.',
  },
  'svc.incidents.transitions': {
    unit: '{transition}',
    description: 'What became of incidents, by kind and tenant.',
  },
  'svc.notify.messages': {
    unit: '{message}',
    description:
      'Messages to connectors, by what came of a try and tenant: sent, accepted, waiting again, dead, a possible repeat.',
  },
  'svc.export.points': { unit: '{point}', description: 'Points for the external collector, by outcome.' },
} as const;
export const GAUGES = {
  'svc.export.queue': { unit: '{point}', description: 'Points that wait for the external collector.' },
  'svc.edge.connections': { unit: '{connection}', description: 'Open connections, by listener and state.' },
  'svc.otlp.connections': { unit: '{connection}', description: 'Connections that OTLP clients hold open.' },
} as const;

export type CountName = keyof typeof COUNTERS | keyof typeof GAUGES;

/** One number that a slice keeps, as it stands now. Attributes have few values: a tenant, a reason of a closed list. */
export interface Count {
  readonly name: CountName;
  readonly value: number;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Whose number it is; of all tenants beyond a tally's bound together where it is undefined. */
export const tenantAttributes = (tenant: string | undefined): Readonly<Record<string, string>> =>
  tenant === undefined ? { 'otel.metric.overflow': 'true' } : { tenant };

/** A tally of what came in: words other than the one of success are reasons of a refusal. */
export const ingestCounts = (
  entries: readonly TallyEntry<string>[],
  { source, success }: { source: string; success: 'accepted' | 'stored' },
): Count[] =>
  entries.map(({ tenant, word, count }): Count => {
    const whose = tenantAttributes(tenant);
    if (word === success) return { name: `svc.ingest.${success}`, value: count, attributes: { source, ...whose } };
    return { name: 'svc.ingest.refused', value: count, attributes: { source, reason: word, ...whose } };
  });
