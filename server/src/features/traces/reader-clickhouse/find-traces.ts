import { INDEX_FIRST, settingsSql } from '#telemetry';
import type { Place } from '../domain/cursor.ts';
import { AROUND_MS, type FoundTraces, type PageQuestion, type SummaryRow, type Window } from '../reader.ts';
import { spansSql } from './all-spans-sql.ts';
import type { Ask } from './ask.ts';
import { idsSql, type SpanCondition } from './filter-sql.ts';
import { NO_PARENT, orderSql, pastSql } from './place-sql.ts';
import { readFirst } from './read-first.ts';

/** Matching spans looked at in one step, and how many steps: a trace of a million spans must not hide the others for good. */
const FIRST_STEP = 400;
const MAX_STEP = 50_000;
const MAX_STEPS = 5;
const LEAST_LOOKED_UP = 100;
const NO_SPAN = '0'.repeat(16);

/** Of the ids those that an earlier page has shown: a span of theirs that matches stands before this page. */
async function findShown(ask: Ask, q: { condition: SpanCondition; sort: PageQuestion['sort']; start: Place; ids: string[] }) {
  const ids = idsSql(q.ids);
  const past = pastSql(q.sort, q.start, 'traces');
  const rows = await ask<{ id: string }>({
    sql: `SELECT DISTINCT lower(hex(trace_id)) AS id FROM ${q.condition.from}
      WHERE ${q.condition.where} AND ${ids.where} AND NOT (${past.where}) ${settingsSql(INDEX_FIRST)}`,
    params: { ...q.condition.params, ...ids.params, ...past.params },
  });
  return new Set(rows.map(({ id }) => id));
}

/**
 * Reading matching spans in the order of the list, each trace counts where it is met first. So a page costs a few hundred spans, not a
 * grouping of the whole window.
 */
export async function findTraces(ask: Ask, { past: start, limit, ...asked }: PageQuestion): Promise<FoundTraces> {
  const { sort } = asked;
  const condition = spansSql(asked);
  const select = `${orderSql(sort).text} AS key, lower(hex(trace_id)) AS traceId`;
  const places: Place[] = [];
  const met = new Set<string>();
  let at = start;
  let step = Math.max(FIRST_STEP, limit * 4);
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const question = { ...asked, ...(at && { past: at }), limit: step, of: 'traces' as const };
    const rows = await readFirst<Pick<Place, 'key' | 'traceId'>>(ask, select, question);
    const fresh = rows.filter(({ traceId }) => !met.has(traceId) && met.add(traceId));
    // As many at a time as the page has room for: to look up hundreds of ids costs more than a second question does. Not fewer than this,
    // or a page of one would ask for each of thousands.
    const room = Math.max(LEAST_LOOKED_UP, limit + 1);
    for (let i = 0; i < fresh.length && places.length <= limit; i += room) {
      const some = fresh.slice(i, i + room);
      const ids = some.map(({ traceId }) => traceId);
      const shown = start && (await findShown(ask, { condition, sort, start, ids }));
      places.push(...some.filter(({ traceId }) => !shown?.has(traceId)).map((row) => ({ ...row, spanId: NO_SPAN })));
    }
    if (places.length > limit) return { places: places.slice(0, limit), next: places[limit - 1] };
    const last = rows.at(-1);
    if (last === undefined || rows.length < step) return { places, next: undefined };
    at = { key: last.key, traceId: last.traceId, spanId: NO_SPAN };
    step = Math.min(step * 5, MAX_STEP);
  }
  return { places, next: at };
}

/** A span that its sender sent twice counts once. */
export function readSummaries(ask: Ask, q: { ids: readonly string[]; window: Window }): Promise<SummaryRow[]> {
  const ids = idsSql(q.ids);
  return ask<SummaryRow>({
    sql: `SELECT lower(hex(trace_id)) AS id, toString(toUnixTimestamp64Nano(min(ts))) AS first,
        toString(max(toUnixTimestamp64Nano(ts) + toInt64(least(duration_ns, 4000000000000000000)))) AS last,
        count() AS spans, countIf(status = 2) AS errors, sumMap(map(toString(service), toUInt64(1))) AS services,
        min(parent_id != ${NO_PARENT}) AS rootless,
        argMin(service, (parent_id != ${NO_PARENT}, ts)) AS rootService, argMin(name, (parent_id != ${NO_PARENT}, ts)) AS rootName,
        toString(argMin(duration_ns, (parent_id != ${NO_PARENT}, ts))) AS rootDuration
      FROM (SELECT DISTINCT trace_id, span_id, parent_id, ts, duration_ns, name, service, status FROM spans
        WHERE tenant_id = {tenant:String} AND ${ids.where}
          AND ts >= fromUnixTimestamp64Milli({aroundFrom:Int64}) AND ts < fromUnixTimestamp64Milli({aroundTo:Int64}))
      GROUP BY trace_id ${settingsSql(INDEX_FIRST)}`,
    params: { ...ids.params, aroundFrom: q.window.fromMs - AROUND_MS, aroundTo: q.window.toMs + AROUND_MS },
  });
}
