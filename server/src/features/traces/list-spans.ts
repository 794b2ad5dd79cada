import type { Ctx } from '#kernel';
import type { ListInput } from './api.ts';
import { ask, type TracesDeps, windowOf } from './context.ts';
import { decodePlace, encodePlace } from './domain/cursor.ts';
import { filterSql } from './filter-sql.ts';
import { firstSql, orderSql, type PlaceRow, pastSql } from './place-sql.ts';
import { kindName, statusName } from './span-words.ts';
import type { SpanPage } from './views.ts';

interface SpanRow extends PlaceRow {
  spanId: string;
  service: string;
  name: string;
  kind: number;
  status: number;
  atMs: number;
  durationMs: number;
}

/** One page of the spans that match. */
export async function listSpans(deps: TracesDeps, ctx: Ctx, input: ListInput): Promise<SpanPage> {
  const { sort, limit, cursor } = input;
  const { where, params } = filterSql(input, windowOf(deps, input));
  const past = cursor === undefined ? undefined : pastSql(sort, decodePlace(sort, cursor), 'spans');
  const select = `${orderSql(sort).text} AS key, lower(hex(trace_id)) AS traceId, lower(hex(span_id)) AS spanId, service, name, kind, status,
      toUnixTimestamp64Milli(ts) AS atMs, duration_ns / 1e6 AS durationMs`;
  const rows = await ask<SpanRow>(deps, ctx, {
    sql: firstSql(sort, { select, where: `${where}${past ? ` AND ${past.where}` : ''}` }, '{limit:UInt32}'),
    params: { ...params, ...past?.params, limit: limit + 1 },
  });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map((row) => ({
      trace_id: row.traceId,
      span_id: row.spanId,
      service: row.service,
      name: row.name,
      kind: kindName(row.kind),
      status: statusName(row.status),
      started_at: new Date(row.atMs).toISOString(),
      duration_ms: row.durationMs,
    })),
    next_cursor: rows.length > limit && last ? encodePlace(sort, last) : null,
  };
}
