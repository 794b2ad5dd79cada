import { AppError } from '#kernel';
import type { Telemetry } from '#telemetry';
import { createClickhouseReader } from './clickhouse/reader.ts';
import { createMemoryReader } from './memory/reader.ts';
import type { MetricReader } from './reader.ts';

export interface ReaderDeps {
  telemetry: Pick<Telemetry, 'store' | 'memory' | 'readers'>;
  clock: { now(): number };
  /** Days that points of applications are kept. */
  keptDays: number;
  /** As in MetricStore. */
  pointsAtOnce?: number;
}

/** The column store, or what is kept in memory where there is none. */
export function chooseReader({ telemetry: { store, memory, readers }, ...deps }: ReaderDeps): MetricReader {
  if (store) return createClickhouseReader({ store, ...deps });
  if (memory) return createMemoryReader({ memory, readers });
  throw new AppError('internal', 'There is no store for metrics.');
}
