import { EdgeMarks } from './edge-marks.ts';
import { LogBlock } from './log-block.ts';
import { LogFacts } from './log-facts.ts';
import { MetricBuilder } from './metrics/builder.ts';
import type { MetricClocks } from './metrics/names.ts';
import { RecordBuilder } from './record-builder.ts';
import { SpanBlock } from './span-block.ts';
import { SpanFacts } from './span-facts.ts';

export {
  addCounts,
  type BuildCounts,
  type BuildMessage,
  type Built,
  countsOf,
  newCounts,
  type SignalBuilder,
} from './builder.ts';
export type { MetricClocks } from './metrics/names.ts';
export { giveBlocks, giveMemory } from './sinks.ts';
export { BuildFault } from './wire-reader.ts';

export const createSpanBuilder = () =>
  new RecordBuilder({ signal: 'traces', facts: new SpanFacts(), newBlock: () => new SpanBlock(), marks: new EdgeMarks() });

export const createLogBuilder = () =>
  new RecordBuilder({ signal: 'logs', facts: new LogFacts(), newBlock: () => new LogBlock() });

export const createMetricBuilder = (clocks: MetricClocks) => new MetricBuilder(clocks);
