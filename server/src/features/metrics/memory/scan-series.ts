import type { TenantId } from '#kernel';
import type { BlockColumns, MemoryTables } from '#telemetry';
import type { MetricKind } from '../api.ts';
import { monthsOf, type TimeWindow } from '../domain/window.ts';
import type { SeriesQuestion, SeriesRow } from '../reader.ts';
import { labelFilter } from './match-labels.ts';

/** Visits the tenant's rows of metric_series of the months of the window; `metric` leaves the others out. */
export async function scanMonths(
  tables: MemoryTables,
  { tenant, window, metric }: { tenant: TenantId; window: TimeWindow; metric?: string },
  visit: (columns: BlockColumns, rows: number[]) => void,
): Promise<void> {
  const { first, last } = monthsOf(window);
  await tables.scan(tenant, { table: 'metric_series' }, ({ rows, columns }) => {
    const metrics = columns.lows('metric');
    const wanted = metric === undefined ? undefined : metrics.idOf(metric);
    if (wanted === -1) return;
    const months = columns.numbers('month');
    const own: number[] = [];
    for (const row of rows) {
      const month = months[row] as number;
      if (month >= first && month <= last && (wanted === undefined || metrics.ids[row] === wanted)) own.push(row);
    }
    if (own.length > 0) visit(columns, own);
  });
}

/** Visits the rows of the series that answer; one series has a row for each month, and more where it was delivered twice. */
export async function scanSeries(
  tables: MemoryTables,
  { tenant, metric, matchers, window }: SeriesQuestion & { tenant: TenantId },
  visit: (columns: BlockColumns, row: number) => void,
): Promise<void> {
  const keep = labelFilter(matchers);
  await scanMonths(tables, { tenant, window, metric }, (columns, rows) => {
    for (const row of keep(columns.maps('labels'), rows)) visit(columns, row);
  });
}

export function seriesAt(columns: BlockColumns, row: number): SeriesRow {
  const { keys, values } = columns.maps('labels').entries(row);
  const text = (name: string): string => columns.lows(name).at(row);
  return {
    id: String(columns.wides('fp')[row]),
    kind: text('kind') as MetricKind,
    unit: text('unit'),
    otel_name: text('otel_name'),
    description: text('description'),
    scope: text('scope'),
    scope_version: columns.has('scope_version') ? text('scope_version') : '',
    origin: columns.has('origin') ? text('origin') : '',
    labels: Object.fromEntries(keys.map((key, i) => [key, values[i] as string])),
  };
}
