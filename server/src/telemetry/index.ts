export type { WriteClaim } from './claims.ts';
export { FingerprintSet } from './fingerprint-set.ts';
export { chooseSources } from './hour-sources.ts';
export type { Block, Column, ColumnType, EncodedColumn, NativeColumn } from './native/block.ts';
export { ByteSink, wordsOf } from './native/byte-sink.ts';
export type { AnswerBlock } from './native/decode-answer.ts';
export type { Numbers, Wides } from './native/decode-columns.ts';
export { encodeBlock } from './native/encode-block.ts';
export { type ColumnBuilder, newColumn } from './native/encode-columns.ts';
export { migrateTelemetry, openTelemetry, requireEngine, type TelemetryOptions } from './open.ts';
export {
  type ColumnStore,
  type DiskUse,
  type EncodedBlock,
  type RangeQuery,
  type ReadLimits,
  type Sample,
  type SampleBatch,
  SERIES_LABELS,
  type SeriesHour,
  type SeriesKey,
  type SeriesLabel,
  type SeriesLabels,
  type SeriesOwner,
  type SeriesPoints,
  type SeriesStore,
  type Telemetry,
} from './ports.ts';
export { chooseStepMs } from './reading/choose-step.ts';
export { FEW_ROWS, INDEX_FIRST, settingsSql } from './reading/index-settings.ts';
export { stretchesOf, type TimeSpan } from './reading/stretches.ts';
export { createReuse, type Reuse } from './reuse.ts';
export { hashText, seriesKey } from './series-hash.ts';
export { HOUR_MS, type HourlyRollUp, rollUpHours } from './series-hours.ts';
