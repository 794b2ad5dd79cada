import { countOfPage } from '#api';
import type { Ctx } from '#kernel';
import type { ListInput } from './api.ts';
import { readerOf, type TracesContext, windowOf } from './context.ts';
import { decodePlace, encodePlace } from './domain/cursor.ts';
import { kindName, statusName } from './span-words.ts';
import type { SpanPage } from './views.ts';

/** One page of the spans that match. */
export async function listSpans(deps: TracesContext, ctx: Ctx, input: ListInput): Promise<SpanPage> {
  const { sort, limit, cursor } = input;
  const past = cursor === undefined ? undefined : decodePlace(sort, cursor);
  const question = { filter: input, window: windowOf(deps, input), sort, ...(past && { past }), limit: limit + 1 };
  const rows = await readerOf(deps, ctx).spans(question);
  const shown = rows.slice(0, Math.min(limit, countOfPage(rows)));
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
    next_cursor: rows.length > shown.length && last ? encodePlace(sort, last) : null,
  };
}
