import { METRIC_SOURCE_PREFIXES } from '@svc/contracts/metric-source';
import { HOUR_MS, type HourlyRollUp } from '#telemetry';
import { histogramSegments, pointSegments, type Rows, SEGMENT_COLUMNS } from './segments-sql.ts';

export const MARKS = 'metric_marks';

/** Host and flow metrics end with their points: their clocks are their own. */
const NOT_ROLLED = Object.values(METRIC_SOURCE_PREFIXES)
  .flat()
  .map((prefix) => `startsWith(metric, '${prefix}')`)
  .join(' OR ');

const ROWS: Rows = {
  keys: 'metric, fp',
  where: `tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})
    AND has({hours:Array(UInt32)}, intDiv(toUnixTimestamp64Milli(ts), ${HOUR_MS})) AND NOT (${NOT_ROLLED})`,
  bucket: `toUInt32(intDiv(at, ${HOUR_MS}))`,
};

const insert = (segments: string): string => `INSERT INTO metric_hours (tenant_id, metric, fp, hour, ${SEGMENT_COLUMNS}, version)
  SELECT {tenant:String}, metric, fp, t, ${SEGMENT_COLUMNS}, {writes:Array(UInt64)}[indexOf({hours:Array(UInt32)}, t)] FROM (${segments})`;

/** Points, histograms and summaries of applications by the hour. */
export const metricHours = (keptDays: number): HourlyRollUp => ({
  marks: MARKS,
  compute: [insert(pointSegments(ROWS)), insert(histogramSegments(ROWS))],
  keptDays,
});
