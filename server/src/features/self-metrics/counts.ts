import type { Meter, ObservableCounter, ObservableGauge } from '@opentelemetry/api';

/** What slices count for operations, under their OpenTelemetry names. */
const COUNTERS = {
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
  'svc.export.points': { unit: '{point}', description: 'Points for the external collector, by outcome.' },
} as const;
const GAUGES = {
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

/** Reads the numbers that slices keep whenever metrics are collected; a source that throws costs this look alone. */
export function observeCounts(meter: Meter, read: () => readonly Count[]): void {
  const instruments = new Map<CountName, ObservableCounter | ObservableGauge>();
  for (const [name, options] of Object.entries(COUNTERS))
    instruments.set(name as CountName, meter.createObservableCounter(name, options));
  for (const [name, options] of Object.entries(GAUGES))
    instruments.set(name as CountName, meter.createObservableGauge(name, options));
  meter.addBatchObservableCallback(
    (result) => {
      for (const { name, value, attributes } of read()) {
        const instrument = instruments.get(name);
        if (instrument) result.observe(instrument, value, attributes);
      }
    },
    [...instruments.values()],
  );
}
