import type { Meter } from '@opentelemetry/api';
import type { ColumnStore, SampleBatch, SeriesStore, Telemetry } from '#telemetry';
import { SECONDS } from './durations.ts';

type Insert = <T>(table: string, work: () => Promise<T>) => Promise<T>;

/** Series write their own two tables, which are told as one: `samples`. */
const measureSeries = (series: SeriesStore, insert: Insert): SeriesStore => {
  const batch = (): SampleBatch => {
    const open = series.batch();
    return {
      get rows() {
        return open.rows;
      },
      begin: open.begin,
      add: open.add,
      write: () => insert('samples', () => open.write()),
    };
  };
  return { ...series, batch, write: (samples) => insert('samples', () => series.write(samples)) };
};

const measureStore = (store: ColumnStore, insert: Insert): ColumnStore => ({
  ...store,
  write: (block) => insert(block.table, () => store.write(block)),
  writeEncoded: (block) => insert(block.table, () => store.writeEncoded(block)),
});

/** The same stores, with the time of each insert until it is synced. */
export function measureTelemetry(meter: Meter, telemetry: Telemetry): Telemetry {
  const inserted = meter.createHistogram('svc.store.insert.duration', {
    ...SECONDS,
    description: 'Time of one insert until the store has synced it.',
  });
  const insert: Insert = async (table, work) => {
    const began = performance.now();
    let outcome = 'failed';
    try {
      const done = await work();
      outcome = 'ok';
      return done;
    } finally {
      inserted.record((performance.now() - began) / 1000, { table, outcome });
    }
  };
  const { store, series } = telemetry;
  return { ...telemetry, store: measureStore(store, insert), series: measureSeries(series, insert) };
}
