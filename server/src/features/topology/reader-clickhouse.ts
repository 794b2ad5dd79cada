import type { ColumnStore } from '#telemetry';
import type { EdgeSum } from './domain/build-map.ts';
import type { MapReader, MinuteSums } from './reader.ts';

const IN_WINDOW = 'tenant_id = {tenant:String} AND minute >= {from:UInt32} AND minute < {to:UInt32}';

/** Edges of the version that is read of each minute, summed over the window. */
const EDGES = `SELECT source, target, kind, sum(calls) AS calls, sum(errors) AS errors, sumMap(durations) AS durations, sum(bytes) AS bytes
  FROM edges WHERE ${IN_WINDOW} AND (minute, version) IN (
    SELECT minute, max(version) FROM edge_minutes WHERE ${IN_WINDOW} GROUP BY minute)
  GROUP BY source, target, kind ORDER BY sum(edges.calls) DESC, sum(edges.bytes) DESC, source, target LIMIT {limit:UInt32}`;

const MINUTES = `SELECT sum(s) AS spans, sum(t) AS sampled, max(o) AS one_in, max(minute) AS newest, count() AS minutes FROM (
  SELECT minute, argMax(spans, version) AS s, argMax(sampled, version) AS t, argMax(one_in, version) AS o
  FROM edge_minutes WHERE ${IN_WINDOW} GROUP BY minute)`;

const WAITING = `SELECT count() AS waiting FROM (SELECT minute FROM edge_marks WHERE ${IN_WINDOW} AND minute < {ripe:UInt32}
  GROUP BY minute HAVING sum(writes) > 0 AND max(rolled) = 0)`;

interface EdgeRow extends Omit<EdgeSum, 'durations'> {
  durations: Record<string, number>;
}

const toSum = ({ durations, ...row }: EdgeRow): EdgeSum => ({
  ...row,
  durations: new Map(Object.entries(durations).map(([bucket, count]) => [Number(bucket), count])),
});

/** Minutes that `computeEdges` has put down. */
export const createClickhouseReader = (store: ColumnStore): MapReader => ({
  async read(tenant, { from, to, ripe, limit }) {
    const ask = <Row>(sql: string, params: Record<string, unknown>) => store.read<Row>(tenant, sql, { from, to, ...params });
    const [rows, [of], [marks]] = await Promise.all([
      ask<EdgeRow>(EDGES, { limit }),
      ask<MinuteSums>(MINUTES, {}),
      ask<{ waiting: number }>(WAITING, { ripe }),
    ]);
    return { sums: rows.map(toSum), computed: of && of.minutes > 0 ? of : undefined, waiting: marks?.waiting ?? 0 };
  },
});
