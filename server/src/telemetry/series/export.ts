import type { TenantId } from '#kernel';
import type { ColumnStore, SeriesHour } from '../ports.ts';
import { HOUR_MS } from './hours.ts';

const PAGE = 5000;

interface HourRow {
  metric: string;
  id: string;
  hour: number;
  points: number;
  total: number;
  least: number;
  most: number;
}

const FIRST: Pick<HourRow, 'metric' | 'id' | 'hour'> = { metric: '', id: '0', hour: 0 };

const MONTHS = `SELECT DISTINCT toYYYYMM(toDateTime(hour * 3600, 'UTC')) AS month FROM sample_hours
  WHERE tenant_id = {tenant:String} ORDER BY month`;

/** One month after the other, since each is a partition; within it on from the last row in the order of the table. */
const HOURS = `SELECT metric, toString(fp) AS id, hour, points, total, least, most FROM sample_hours
  WHERE tenant_id = {tenant:String} AND toYYYYMM(toDateTime(hour * 3600, 'UTC')) = {month:UInt32} AND metric >= {metric:String}
    AND (metric > {metric:String} OR fp > {id:UInt64} OR (fp = {id:UInt64} AND hour > {hour:UInt32}))
  ORDER BY metric, fp, hour, version DESC LIMIT 1 BY metric, fp, hour LIMIT ${PAGE}`;

const LABELS = `SELECT toString(fp) AS id, any(labels) AS labels FROM series
  WHERE tenant_id = {tenant:String} AND metric IN {metrics:Array(String)} AND fp IN {ids:Array(UInt64)} GROUP BY fp`;

/** See the port. */
export async function* exportHours(store: ColumnStore, tenant: TenantId): AsyncGenerator<SeriesHour[]> {
  for (const { month } of await store.read<{ month: number }>(tenant, MONTHS)) {
    for (let after = FIRST; ; ) {
      const rows = await store.read<HourRow>(tenant, HOURS, { month, ...after });
      const last = rows.at(-1);
      if (!last) break;
      const metrics = [...new Set(rows.map(({ metric }) => metric))];
      const ids = [...new Set(rows.map(({ id }) => id))].map(BigInt);
      const named = await store.read<{ id: string; labels: Record<string, string> }>(tenant, LABELS, { metrics, ids });
      const labelsOf = new Map(named.map(({ id, labels }) => [id, labels]));
      yield rows.map(({ metric, id, hour, points, total, least, most }) => ({
        metric,
        labels: labelsOf.get(id) ?? {},
        startMs: hour * HOUR_MS,
        points,
        avg: total / points,
        min: least,
        max: most,
      }));
      if (rows.length < PAGE) break;
      after = { metric: last.metric, id: last.id, hour: last.hour };
    }
  }
}
