import type { Ctx } from '#kernel';
import type { ListInput } from './api.ts';
import { ask, type TracesDeps, windowOf } from './context.ts';
import { decodePlace, encodePlace, type Place } from './domain/cursor.ts';
import { type Condition, filterSql, idsSql } from './filter-sql.ts';
import { firstSql, NO_PARENT, orderSql, type PlaceRow, pastSql } from './place-sql.ts';
import type { TracePage } from './views.ts';

/** Matching spans looked at in one step, and how many steps: a trace of a million spans must not hide the others for good. */
const FIRST_STEP = 400;
const MAX_STEP = 50_000;
const MAX_STEPS = 5;
/** A trace may have begun before and gone on after what was found of it by this much. */
const AROUND_MS = 6 * 3_600_000;
const MAX_SERVICES = 8;
const NO_SPAN = '0'.repeat(16);

interface Found {
  places: Place[];
  /** Where to look on; undefined at the end. */
  next: Place | undefined;
}

interface SummaryRow {
  id: string;
  first: string;
  last: string;
  spans: number;
  errors: number;
  rootService: string;
  rootName: string;
  rootless: number;
  services: Record<string, number>;
}

/** Of the ids those that an earlier page has shown: a span of theirs that matches stands before this page. */
async function findShown(deps: TracesDeps, ctx: Ctx, q: { condition: Condition; input: ListInput; start: Place; ids: string[] }) {
  const ids = idsSql(q.ids);
  const past = pastSql(q.input.sort, q.start, 'traces');
  const rows = await ask<{ id: string }>(deps, ctx, {
    sql: `SELECT DISTINCT lower(hex(trace_id)) AS id FROM spans WHERE ${q.condition.where} AND ${ids.where} AND NOT (${past.where})`,
    params: { ...q.condition.params, ...ids.params, ...past.params },
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Traces in the order of their first matching span, whose place is the trace's: reading matching spans in that order, each trace
 * counts where it is met first. So a page costs a few hundred spans, not a grouping of the whole window.
 */
async function findTraces(deps: TracesDeps, ctx: Ctx, q: { condition: Condition; input: ListInput }): Promise<Found> {
  const { condition, input } = q;
  const start = input.cursor === undefined ? undefined : decodePlace(input.sort, input.cursor);
  const places: Place[] = [];
  const met = new Set<string>();
  let at = start;
  let step = Math.max(FIRST_STEP, input.limit * 4);
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const past = at && pastSql(input.sort, at, 'traces');
    const where = `${condition.where}${past ? ` AND ${past.where}` : ''}`;
    const select = `${orderSql(input.sort).text} AS key, lower(hex(trace_id)) AS traceId`;
    const rows = await ask<PlaceRow>(deps, ctx, {
      sql: firstSql(input.sort, { select, where }, '{step:UInt32}'),
      params: { ...condition.params, ...past?.params, step },
    });
    const fresh = rows.filter(({ traceId }) => !met.has(traceId) && met.add(traceId));
    // As many at a time as the page has room for: to look up hundreds of ids costs more than a second question does.
    const room = input.limit + 1;
    for (let i = 0; i < fresh.length && places.length <= input.limit; i += room) {
      const some = fresh.slice(i, i + room);
      const ids = some.map(({ traceId }) => traceId);
      const shown = start && (await findShown(deps, ctx, { condition, input, start, ids }));
      places.push(...some.filter(({ traceId }) => !shown?.has(traceId)).map((row) => ({ ...row, spanId: NO_SPAN })));
    }
    if (places.length > input.limit) return { places: places.slice(0, input.limit), next: places[input.limit - 1] };
    const last = rows.at(-1);
    if (last === undefined || rows.length < step) return { places, next: undefined };
    at = { key: last.key, traceId: last.traceId, spanId: NO_SPAN };
    step = Math.min(step * 5, MAX_STEP);
  }
  return { places, next: at };
}

/** A span that its sender sent twice counts once. */
async function readSummaries(
  deps: TracesDeps,
  ctx: Ctx,
  q: { ids: readonly string[]; window: { fromMs: number; toMs: number } },
) {
  const ids = idsSql(q.ids);
  const rows = await ask<SummaryRow>(deps, ctx, {
    sql: `SELECT lower(hex(trace_id)) AS id, toString(toUnixTimestamp64Nano(min(ts))) AS first,
        toString(max(toUnixTimestamp64Nano(ts) + toInt64(least(duration_ns, 4000000000000000000)))) AS last,
        count() AS spans, countIf(status = 2) AS errors, sumMap(map(toString(service), toUInt64(1))) AS services,
        min(parent_id != ${NO_PARENT}) AS rootless,
        argMin(service, (parent_id != ${NO_PARENT}, ts)) AS rootService, argMin(name, (parent_id != ${NO_PARENT}, ts)) AS rootName
      FROM (SELECT DISTINCT trace_id, span_id, parent_id, ts, duration_ns, name, service, status FROM spans
        WHERE tenant_id = {tenant:String} AND ${ids.where}
          AND ts >= fromUnixTimestamp64Milli({aroundFrom:Int64}) AND ts < fromUnixTimestamp64Milli({aroundTo:Int64}))
      GROUP BY trace_id`,
    params: { ...ids.params, aroundFrom: q.window.fromMs - AROUND_MS, aroundTo: q.window.toMs + AROUND_MS },
  });
  return new Map(rows.map((row) => [row.id, row]));
}

const toIso = (unixNano: string): string => new Date(Number(BigInt(unixNano) / 1_000_000n)).toISOString();

function toItem(row: SummaryRow): TracePage['items'][number] {
  const services = Object.entries(row.services).sort(([, a], [, b]) => b - a);
  return {
    trace_id: row.id,
    root: { service: row.rootService, name: row.rootName, seen: row.rootless === 0 },
    started_at: toIso(row.first),
    duration_ms: Number(BigInt(row.last) - BigInt(row.first)) / 1e6,
    spans: row.spans,
    errors: row.errors,
    services: services.slice(0, MAX_SERVICES).map(([name, spans]) => ({ name, spans })),
    service_count: services.length,
  };
}

/** One page of the traces that have a matching span; each trace is on one page only, whatever comes in between. */
export async function listTraces(deps: TracesDeps, ctx: Ctx, input: ListInput): Promise<TracePage> {
  const window = windowOf(deps, input);
  const condition = filterSql(input, window);
  const { places, next } = await findTraces(deps, ctx, { condition, input });
  const ids = places.map(({ traceId }) => traceId);
  const summaries = ids.length > 0 ? await readSummaries(deps, ctx, { ids, window }) : new Map<string, SummaryRow>();
  const rows = ids.flatMap((id) => summaries.get(id) ?? []);
  return { items: rows.map(toItem), next_cursor: next ? encodePlace(input.sort, next) : null };
}
