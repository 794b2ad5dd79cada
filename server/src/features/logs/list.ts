import { countOfPage } from '#api';
import { AppError, type Ctx } from '#kernel';
import type { ContextInput, ListInput, LogContext, LogPage, TailInput, TailPage } from './api.ts';
import { type LogsDeps, readerOf } from './context.ts';
import { decodePlace, type Place } from './domain/place.ts';
import { decodePositions, encodePositions, type Positions } from './domain/positions.ts';
import { windowOf } from './filter.ts';
import type { LogReader } from './reader.ts';
import { type LogRow, toRecord } from './records.ts';

/** One page, newest first; the cursor is the place of its last record, so that what comes in meanwhile moves nothing. */
export async function listLogs(deps: LogsDeps, ctx: Ctx, { limit, cursor, ...filter }: ListInput): Promise<LogPage> {
  const reader = readerOf(deps, ctx);
  const window = windowOf(filter, deps.clock.now());
  const after = cursor === undefined ? undefined : decodePlace(cursor, 'cursor');
  const rows = await reader.page({ filter, window, ...(after && { after }), limit: limit + 1 });
  const items = firstOf(rows.slice(0, limit));
  return { items, next_cursor: rows.length > items.length ? (items.at(-1)?.id ?? null) : null };
}

/** As many of the first as one answer may hold that has so many such lists. */
const firstOf = (rows: readonly LogRow[], lists = 1) => rows.slice(0, countOfPage(rows, lists)).map(toRecord);

/** One record whole; `not_found` when there is none of this name in the tenant. */
export async function readLog(deps: LogsDeps, ctx: Ctx, { id }: { id: string }) {
  const row = await findRow(readerOf(deps, ctx), decodePlace(id, 'id'));
  return toRecord(row);
}

async function findRow(reader: LogReader, place: Place): Promise<LogRow> {
  const row = await reader.find(place);
  if (!row) throw new AppError('not_found', 'There is no such log record; it may have expired.');
  return row;
}

const HOUR_NS = 3_600_000_000_000n;

/** Lines of the same service and resource around a record, oldest first, at most six hours away: the nearest, where they are heavy. */
export async function readContext(deps: LogsDeps, ctx: Ctx, { id, before, after }: ContextInput): Promise<LogContext> {
  const reader = readerOf(deps, ctx);
  const place = decodePlace(id, 'id');
  const anchor = await findRow(reader, place);
  const { service } = anchor;
  const [earlier, later] = await Promise.all([
    before === 0
      ? []
      : reader.around({ place, service, window: { from: place.ts - 6n * HOUR_NS, to: place.ts }, side: '<', limit: before }),
    after === 0
      ? []
      : reader.around({ place, service, window: { from: place.ts, to: place.ts + 6n * HOUR_NS }, side: '>', limit: after }),
  ]);
  return {
    before: firstOf(earlier, 2).reverse(),
    record: toRecord(anchor),
    after: firstOf(later, 2),
  };
}

/** Records that arrive with an older time than this are not followed. */
const TAIL_WINDOW_MS = 10 * 60_000;
const AHEAD_MS = 60 * 60_000;
/** Of one answer: two seconds' worth of what is shown in one. */
const TAIL_LIMIT = 400;

/**
 * What was stored since the cursor, newest first. A line may come twice, in one answer and in the next: an answer begins where the one
 * before the last ended, since blocks of one moment become visible one after the other; `matched` counts what came since the last one.
 * Without a cursor: nothing, from now on.
 */
export async function tailLogs(deps: LogsDeps, ctx: Ctx, { cursor, ...filter }: TailInput): Promise<TailPage> {
  const reader = readerOf(deps, ctx);
  const nowMs = deps.clock.now();
  const window = { from: BigInt(nowMs - TAIL_WINDOW_MS) * 1_000_000n, to: BigInt(nowMs + AHEAD_MS) * 1_000_000n };
  const seen = cursor === undefined ? undefined : decodePositions(cursor);
  const newest = await reader.ends({ filter: {}, window, ...(seen && { beyond: seen.last }) });
  const last: Positions = new Map([...(seen?.last ?? []), ...newest.map(({ at, next }) => [at, BigInt(next)] as const)]);
  const next_cursor = encodePositions({ before: seen?.last ?? last, last });
  if (!seen) return { items: [], matched: 0, next_cursor };
  const [rows, matched] = await Promise.all([
    reader.page({ filter, window, beyond: seen.before, limit: TAIL_LIMIT }),
    reader.count({ filter, window, beyond: seen.last }),
  ]);
  return { items: firstOf(rows), matched, next_cursor };
}
