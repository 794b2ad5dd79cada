import { AppError, type TenantId } from '#kernel';
import type { BlockColumns, MemoryTables } from '#telemetry';
import type { TimeWindow } from '../domain/window.ts';

/** Of one question, over all its series. */
const MAX_POINTS = 1_000_000;

export interface PointsQuestion {
  table: 'metric_points' | 'metric_histograms' | 'metric_exemplars';
  metric: string;
  fingerprints: readonly bigint[];
  window: TimeWindow;
}

const toNs = (ms: number): bigint => BigInt(ms) * 1_000_000n;

/** A row of the asked series; `series` is its place among the fingerprints. */
export interface PointRow {
  columns: BlockColumns;
  row: number;
  series: number;
  /** Unix milliseconds. */
  at: number;
}

/** Visits the points of series within a window, in no order; what was delivered twice comes twice. `unavailable` for too many. */
export async function scanPoints(
  tables: MemoryTables,
  { tenant, table, metric, fingerprints, window }: PointsQuestion & { tenant: TenantId },
  visit: (point: PointRow) => void,
): Promise<void> {
  const places = new Map(fingerprints.map((fp, place) => [fp, place]));
  let left = MAX_POINTS;
  await tables.scan(tenant, { table, fromNs: toNs(window.fromMs), toNs: toNs(window.toMs) }, ({ rows, columns }) => {
    const metrics = columns.lows('metric');
    const wanted = metrics.idOf(metric);
    if (wanted === -1) return;
    const [fps, times] = [columns.wides('fp'), columns.wides('ts')];
    for (const row of rows) {
      if (metrics.ids[row] !== wanted) continue;
      const series = places.get(fps[row] as bigint);
      if (series === undefined) continue;
      if (left-- === 0) throw new AppError('unavailable', `More than ${MAX_POINTS} points answer to this: look at less time.`);
      visit({ columns, row, series, at: Number(times[row]) });
    }
  });
}

/** Points of one series in order of time, each time once. */
export function inOrder<Point extends { at: number }>(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((a, b) => a.at - b.at);
  return sorted.filter(({ at }, i) => i === 0 || at !== sorted[i - 1]?.at);
}
