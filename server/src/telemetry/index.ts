export {
  type AnswerBlock,
  type Block,
  type ColumnBuilder,
  FingerprintSet,
  newColumn,
  type Wides,
} from '@svc/bytes';
export type { WriteClaim } from './claims.ts';
export { type ExportedColumns, exportColumns, minutesOfTime, stretchesOfNumber } from './keeping/export-rows.ts';
export { eraseColumns, keptTables } from './keeping/kept-tables.ts';
export { migrateTelemetry, openTelemetry, requireEngine, type TelemetryOptions } from './open.ts';
export {
  type ColumnStore,
  type DiskUse,
  type EncodedBlock,
  type ErasedColumns,
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
export { hashText, seriesKey } from './series/hash.ts';
export { chooseSources, type Sources } from './series/hour-sources.ts';
export { HOUR_MS, type HourlyRollUp, rollUpHours } from './series/hours.ts';
