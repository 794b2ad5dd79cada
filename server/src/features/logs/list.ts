import { AppError, type Ctx } from '#kernel';
import type { ContextInput, ListInput, LogContext, LogPage, TailInput, TailPage } from './api.ts';
import { type LogsDeps, type Read, readerOf } from './context.ts';
import { decodePlace, type Place } from './domain/place.ts';
import { decodePositions, encodePositions, type Positions } from './domain/positions.ts';
import { filterSql, windowOf } from './filter.ts';
import { type LogRow, NEWEST_FIRST, OLDEST_FIRST, pageSql, toRecord, WHOLE } from './records.ts';

const PLACE_COLUMNS = '(ts, bus_partition, bus_offset, row)';
const PLACE = '(fromUnixTimestamp64Nano({atNs:Int64}), {atPartition:UInt16}, {atOffset:UInt64}, {atRow:UInt32})';

const placeParams = ({ ts, partition, offset, row }: Place) => ({
  atNs: String(ts),
  atPartition: partition,
  atOffset: String(offset),
  atRow: row,
});

/** One page, newest first; the cursor is the place of its last record, so that what comes in meanwhile moves nothing. */
export async function listLogs(deps: LogsDeps, ctx: Ctx, { limit, cursor, ...filter }: ListInput): Promise<LogPage> {
  const read = readerOf(deps, ctx);
  const window = windowOf(filter, deps.clock.now());
  const { where, params } = filterSql(filter, window);
  const after = cursor === undefined ? undefined : decodePlace(cursor, 'cursor');
  // The time alone lets the store skip parts; the whole place decides.
  const rest = after ? ` AND ts <= fromUnixTimestamp64Nano({atNs:Int64}) AND ${PLACE_COLUMNS} < ${PLACE}` : '';
  const rows = await read<LogRow>(pageSql(where + rest, NEWEST_FIRST), {
    ...params,
    ...(after && placeParams(after)),
    limit: limit + 1,
  });
  const items = rows.slice(0, limit).map(toRecord);
  return { items, next_cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** One record whole; `not_found` when there is none of this name in the tenant. */
export async function readLog(deps: LogsDeps, ctx: Ctx, { id }: { id: string }) {
  const row = await findRow(readerOf(deps, ctx), decodePlace(id, 'id'));
  return toRecord(row);
}

async function findRow(read: Read, place: Place): Promise<LogRow> {
  const sql = `SELECT ${WHOLE} FROM logs WHERE tenant_id = {tenant:String} AND ${PLACE_COLUMNS} = ${PLACE} LIMIT 1`;
  const [row] = await read<LogRow>(sql, placeParams(place));
  if (!row) throw new AppError('not_found', 'There is no such log record; it may have expired.');
  return row;
}

const HOUR_NS = 3_600_000_000_000n;

/** Lines of the same service and resource around a record, oldest first, at most six hours away. */
export async function readContext(deps: LogsDeps, ctx: Ctx, { id, before, after }: ContextInput): Promise<LogContext> {
  const read = readerOf(deps, ctx);
  const place = decodePlace(id, 'id');
  const anchor = await findRow(read, place);
  const where = `tenant_id = {tenant:String} AND service = {service:String}
    AND resource = (SELECT any(resource) FROM logs WHERE tenant_id = {tenant:String} AND ${PLACE_COLUMNS} = ${PLACE})
    AND ts >= fromUnixTimestamp64Nano({fromNs:Int64}) AND ts <= fromUnixTimestamp64Nano({toNs:Int64})`;
  const params = { service: anchor.service, ...placeParams(place) };
  const around = async (side: '<' | '>', limit: number): Promise<LogRow[]> => {
    if (limit === 0) return [];
    const [fromNs, toNs] = side === '<' ? [place.ts - 6n * HOUR_NS, place.ts] : [place.ts, place.ts + 6n * HOUR_NS];
    const sql = pageSql(`${where} AND ${PLACE_COLUMNS} ${side} ${PLACE}`, side === '<' ? NEWEST_FIRST : OLDEST_FIRST);
    return await read<LogRow>(sql, { ...params, fromNs: String(fromNs), toNs: String(toNs), limit });
  };
  const [earlier, later] = await Promise.all([around('<', before), around('>', after)]);
  return {
    before: earlier.reverse().map(toRecord),
    record: toRecord(anchor),
    after: later.map(toRecord),
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
  const read = readerOf(deps, ctx);
  const nowMs = deps.clock.now();
  const window = { from: BigInt(nowMs - TAIL_WINDOW_MS) * 1_000_000n, to: BigInt(nowMs + AHEAD_MS) * 1_000_000n };
  const all = filterSql({}, window);
  const seen = cursor === undefined ? undefined : decodePositions(cursor);
  const newest = await read<{ at: number; next: string }>(
    `SELECT bus_partition AS at, toString(max(bus_offset) + 1) AS next FROM logs WHERE ${all.where}
      ${seen ? `AND ${BEYOND}` : ''} GROUP BY at`,
    { ...all.params, ...(seen && beyondParams(seen.last)) },
  );
  const last: Positions = new Map([...(seen?.last ?? []), ...newest.map(({ at, next }) => [at, BigInt(next)] as const)]);
  const next_cursor = encodePositions({ before: seen?.last ?? last, last });
  if (!seen) return { items: [], matched: 0, next_cursor };
  const { where, params } = filterSql(filter, window);
  const again = { ...params, ...beyondParams(seen.before) };
  const fresh = { ...params, ...beyondParams(seen.last) };
  const [rows, [count]] = await Promise.all([
    read<LogRow>(pageSql(`${where} AND ${BEYOND}`, NEWEST_FIRST), { ...again, limit: TAIL_LIMIT }),
    read<{ c: number }>(`SELECT count() AS c FROM logs WHERE ${where} AND ${BEYOND}`, fresh),
  ]);
  return { items: rows.map(toRecord), matched: count?.c ?? rows.length, next_cursor };
}

/** `least` lets the store skip what it has long had; a partition that was not seen before begins at 0. */
const BEYOND = `bus_offset >= {least:UInt64}
  AND bus_offset >= arrayElement({offsets:Array(UInt64)}, indexOf({partitions:Array(UInt16)}, bus_partition))`;

function beyondParams(positions: Positions): Record<string, unknown> {
  const offsets = [...positions.values()];
  // A tenant is on one partition, but for when their number changes: then a new one counts from its start.
  const least = positions.size === 1 ? (offsets[0] ?? 0n) : 0n;
  return { least: String(least), partitions: [...positions.keys()], offsets };
}
