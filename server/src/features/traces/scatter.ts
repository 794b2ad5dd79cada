import type { Ctx } from '#kernel';
import type { TraceFilter } from './api.ts';
import { ask, type TracesDeps, windowOf } from './context.ts';
import { filterSql } from './filter-sql.ts';
import { NO_PARENT } from './place-sql.ts';
import type { Scatter } from './views.ts';

/** Points of each sort: failed, longest, and a sample of the rest. */
const ERRORS = 600;
const LONGEST = 100;
const OTHERS = 1400;

interface PointRow {
  traceId: string;
  spanId: string;
  at: number;
  ms: number;
  error: number;
  service: string;
  name: string;
}

interface TotalRow {
  total: number;
  errors: number;
  quantiles: (number | null)[];
}

/** The lowest hashes are a sample that is fair and the same each time it is asked for; of columns that are read anyway. */
const SAMPLED = 'ORDER BY cityHash64(ts, duration_ns)';

async function readScatter(deps: TracesDeps, ctx: Ctx, condition: { where: string; params: Record<string, unknown> }) {
  const { where, params } = condition;
  const columns = `lower(hex(trace_id)) AS traceId, lower(hex(span_id)) AS spanId, toUnixTimestamp64Micro(ts) / 1000 AS at,
    duration_ns / 1e6 AS ms, status = 2 AS error, service, name`;
  const part = (more: string, order: string, limit: number): string =>
    `SELECT ${columns} FROM spans WHERE ${where}${more} ${order} LIMIT ${limit}`;
  const [points, [totals]] = await Promise.all([
    ask<PointRow>(deps, ctx, {
      sql: [
        part(' AND status = 2', SAMPLED, ERRORS),
        part('', 'ORDER BY duration_ns DESC', LONGEST),
        part(' AND status != 2', SAMPLED, OTHERS),
      ]
        .map((sql) => `SELECT * FROM (${sql})`)
        .join(' UNION ALL '),
      params,
    }),
    ask<TotalRow>(deps, ctx, {
      sql: `SELECT count() AS total, countIf(status = 2) AS errors, quantiles(0.5, 0.95, 0.99)(duration_ns / 1e6) AS quantiles
        FROM spans WHERE ${where}`,
      params,
    }),
  ]);
  return { points, totals: totals ?? { total: 0, errors: 0, quantiles: [] } };
}

/** How long it took over time, as a bounded sample. */
export async function readTraceScatter(deps: TracesDeps, ctx: Ctx, filter: TraceFilter): Promise<Scatter> {
  const window = windowOf(deps, filter);
  const condition = filterSql(filter, window);
  const named = filter.service ?? filter.operation ?? filter.kind ?? filter.attribute;
  const roots = { ...condition, where: `${condition.where} AND parent_id = ${NO_PARENT}` };
  const ofRoots = named === undefined ? await readScatter(deps, ctx, roots) : undefined;
  // Where no root arrives (only one service of many is instrumented) the spans themselves say how long it took.
  const of = ofRoots && ofRoots.totals.total > 0 ? 'roots' : 'spans';
  const { points, totals } = of === 'roots' && ofRoots ? ofRoots : await readScatter(deps, ctx, condition);
  const known = new Map(points.map((row) => [`${row.traceId}${row.spanId}`, row]));
  const [p50, p95, p99] = totals.total > 0 ? totals.quantiles : [];
  return {
    of,
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.toMs).toISOString(),
    total: totals.total,
    errors: totals.errors,
    p50_ms: p50 ?? null,
    p95_ms: p95 ?? null,
    p99_ms: p99 ?? null,
    points: [...known.values()].map(({ traceId, spanId, error, ...rest }) => ({
      trace_id: traceId,
      span_id: spanId,
      error: error === 1,
      ...rest,
    })),
  };
}
