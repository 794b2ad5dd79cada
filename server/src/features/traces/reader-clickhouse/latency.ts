import { settingsSql } from '#telemetry';
import type { LatencyRow, SpanQuestion } from '../reader.ts';
import { allSpansSql } from './all-spans-sql.ts';
import type { Ask } from './ask.ts';

/** Quantiles of all that match, step by step. */
export function readLatency(
  ask: Ask,
  { stepMs, ...question }: SpanQuestion & { rootsOnly: boolean; stepMs: number },
): Promise<LatencyRow[]> {
  const { from, where, params, settings } = allSpansSql(question);
  const sql = `SELECT intDiv(toUnixTimestamp64Milli(ts), {step:Int64}) * {step:Int64} AS at, count() AS total, countIf(status = 2) AS errors,
      quantiles(0.5, 0.95, 0.99)(duration_ns / 1e6) AS quantiles
    FROM ${from} WHERE ${where} GROUP BY at ORDER BY at ${settingsSql(settings)}`;
  return ask<LatencyRow>({ sql, params: { ...params, step: stepMs } });
}
