import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import type { TenantId } from '#kernel';
import { type ColumnStore, openTelemetry } from '#telemetry';
import { type MetricKind, RangeInput } from './api.ts';
import { createClickhouseReader } from './clickhouse/reader.ts';
import type { MetricDeps } from './context.ts';

export interface TestSeries {
  fp: number;
  metric: string;
  kind: MetricKind;
  unit?: string;
  labels?: Record<string, string>;
}

export interface TestHistogram {
  ts: number;
  count: number;
  sum?: number;
  bounds?: number[];
  counts?: number[];
  quantileValues?: number[];
  scale?: number;
  zero?: number;
  positive?: [offset: number, counts: number[]];
}

const at = (ms: number): string => new Date(ms).toISOString().slice(0, 7).replace('-', '');

/** A store with the real tables, and rows put there by SQL. */
export async function openTestStore(now: () => number) {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-metrics-'));
  const migrationsDir = fileURLToPath(new URL('../../../../clickhouse/migrations', import.meta.url));
  const telemetry = await openTelemetry({ dataDir, migrationsDir, log: pino({ level: 'silent' }) });
  const store = telemetry.store as ColumnStore;
  const clock = { now };
  const deps: MetricDeps = {
    reader: createClickhouseReader({ store, readers: telemetry.readers, clock, keptDays: 30 }),
    clock,
  };

  async function writeSeries(
    tenant: TenantId,
    { fp, metric, kind, unit = '', labels = {} }: TestSeries,
    months: string[],
  ): Promise<void> {
    await store.derive(
      tenant,
      `INSERT INTO metric_series SELECT {tenant:String}, {metric:String}, {fp:UInt64}, toUInt32(arrayJoin({months:Array(String)})),
        replaceAll({metric:String}, '_', '.'), {unit:String}, 'said so', {kind:String}, '', '',
        CAST(arrayZip({names:Array(String)}, {values:Array(String)}) AS Map(String, String))`,
      { fp, metric, kind, unit, months, names: Object.keys(labels), values: Object.values(labels) },
    );
  }

  return {
    deps,
    store,
    input: (given: Partial<RangeInput> & { metric: string }) => RangeInput.parse(given),
    async writePoints(tenant: TenantId, series: TestSeries, points: [ts: number, value: number][]): Promise<void> {
      await writeSeries(tenant, series, [...new Set(points.map(([ts]) => at(ts)))]);
      await store.derive(
        tenant,
        `INSERT INTO metric_points SELECT {tenant:String}, {metric:String}, {fp:UInt64}, fromUnixTimestamp64Milli(p.1), p.2, 30
          FROM (SELECT arrayJoin(arrayZip({ts:Array(Int64)}, {values:Array(Float64)})) AS p)`,
        { ...{ metric: series.metric, fp: series.fp }, ts: points.map(([ts]) => ts), values: points.map(([, value]) => value) },
      );
    },
    async writeHistograms(tenant: TenantId, series: TestSeries, points: TestHistogram[]): Promise<void> {
      await writeSeries(tenant, series, [...new Set(points.map(({ ts }) => at(ts)))]);
      for (const {
        ts,
        count,
        sum = 0,
        bounds = [],
        counts = [],
        quantileValues = [],
        scale = 0,
        zero = 0,
        positive = [0, []],
      } of points)
        await store.derive(
          tenant,
          `INSERT INTO metric_histograms SELECT {tenant:String}, {metric:String}, {fp:UInt64}, fromUnixTimestamp64Milli({ts:Int64}), {count:UInt64},
            {sum:Float64}, nan, nan, {bounds:Array(Float64)}, {counts:Array(UInt64)}, {quantileValues:Array(Float64)}, {scale:Int32}, {zero:UInt64}, 0,
            {offset:Int32}, {positive:Array(UInt64)}, 0, [], 30`,
          {
            ...{ metric: series.metric, fp: series.fp, ts, count, sum, bounds, counts, quantileValues, scale, zero },
            ...{ offset: positive[0], positive: positive[1] },
          },
        );
    },
    async close(): Promise<void> {
      await telemetry.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
