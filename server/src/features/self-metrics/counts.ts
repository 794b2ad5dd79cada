import type { Meter, ObservableCounter, ObservableGauge } from '@opentelemetry/api';
import { COUNTERS, type Count, type CountName, GAUGES } from '#kernel';

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
