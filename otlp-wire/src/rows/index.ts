import { EdgeMarks } from './edge-marks.ts';
import { LogBlock } from './log-block.ts';
import { LogFacts } from './log-facts.ts';
import { MetricBuilder } from './metrics/builder.ts';
import type { SeriesBounds } from './metrics/known-series.ts';
import type { MetricClocks } from './metrics/names.ts';
import { RecordBuilder } from './record-builder.ts';
import { SpanBlock } from './span-block.ts';
import { SpanFacts } from './span-facts.ts';

export {
  addCounts,
  type BuildCounts,
  type BuildMessage,
  type Built,
  type BuiltSeries,
  countsOf,
  newCounts,
  type SignalBuilder,
} from './builder.ts';
export type { SeriesBounds, SeriesInStore } from './metrics/known-series.ts';
export type { MetricClocks } from './metrics/names.ts';
export type { SeriesReport } from './metrics/overflow.ts';
export { giveBlocks, giveMemory } from './sinks.ts';
export { BuildFault } from './wire-reader.ts';

export const createSpanBuilder = () =>
  new RecordBuilder({ signal: 'traces', facts: new SpanFacts(), newBlock: () => new SpanBlock(), marks: new EdgeMarks() });

export const createLogBuilder = () =>
  new RecordBuilder({ signal: 'logs', facts: new LogFacts(), newBlock: () => new LogBlock() });

/** As many new series a day as one node takes with ease (docs/limits.md). */
export const DEFAULT_SERIES_PER_DAY = 1_000_000;
const UNREAD: SeriesBounds = { perDay: DEFAULT_SERIES_PER_DAY, readAfter: 0 };

export const createMetricBuilder = (clocks: MetricClocks, bounds: SeriesBounds = UNREAD) => new MetricBuilder(clocks, bounds);
