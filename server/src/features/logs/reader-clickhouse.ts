import type { TenantId } from '#kernel';
import { type ColumnStore, FEW_ROWS, INDEX_FIRST, type ReadLimits, settingsSql, stretchesOf } from '#telemetry';
import type { Place } from './domain/place.ts';
import type { Positions } from './domain/positions.ts';
import { filterSql, isIndexed, type LogCondition, type LogFilter, type LogWindow, readsEachLine } from './filter.ts';
import {
  BODY_SHOWN,
  type FacetRow,
  type LogReader,
  MAX_KEYS,
  MAX_SERVICES,
  NO_FACETS,
  NOTES_SHOWN,
  type PageQuestion,
  SAMPLED,
  type StepRow,
  VALUE_FACET,
  VALUE_SHOWN,
  VALUES_A_KEY,
} from './reader.ts';
import type { LogRow } from './records.ts';

const PLACE_COLUMNS = '(ts, bus_partition, bus_offset, row)';
const PLACE = '(fromUnixTimestamp64Nano({atNs:Int64}), {atPartition:UInt16}, {atOffset:UInt64}, {atRow:UInt32})';

const placeParams = ({ ts, partition, offset, row }: Place) => ({
  atNs: String(ts),
  atPartition: partition,
  atOffset: String(offset),
  atRow: row,
});

const cutMap = (name: string): string => `mapApply((k, v) -> (k, substringUTF8(v, 1, ${VALUE_SHOWN})), ${name})`;
const isLong = (name: string): string => `arrayExists(v -> length(v) > ${VALUE_SHOWN}, mapValues(${name}))`;

const COMMON = `toString(toUnixTimestamp64Nano(ts)) AS ts_ns, toString(toUnixTimestamp64Nano(observed_ts)) AS observed_ns,
  bus_partition AS at_partition, toString(bus_offset) AS at_offset, row AS at_row, severity, severity_text, service, event_name,
  lower(hex(trace_id)) AS trace, lower(hex(span_id)) AS span, flags, scope, scope_version, dropped`;

/** Columns of a record as a list shows it; the store works them out of what is left when it has sorted and cut. */
const SHOWN = `${COMMON}, substringUTF8(body, 1, ${BODY_SHOWN}) AS body, ${cutMap('attributes')} AS attributes,
  ${cutMap('resource')} AS resource, if(length(origin) > ${NOTES_SHOWN}, '', origin) AS origin,
  length(body) > ${BODY_SHOWN} OR length(origin) > ${NOTES_SHOWN} OR ${isLong('attributes')} OR ${isLong('resource')} AS cut`;
/** The same, whole. */
const WHOLE = `${COMMON}, body, attributes, resource, origin, 0 AS cut`;

const NEWEST_FIRST = 'ts DESC, bus_partition DESC, bus_offset DESC, row DESC';
const OLDEST_FIRST = 'ts, bus_partition, bus_offset, row';

/** In conditions `body` is the column, not what is shown of it. */
const COLUMNS_FIRST = ['prefer_column_name_to_alias = 1'];

/** The first `{limit: UInt32}` records of a condition in an order. */
const pageSql = (
  { from, where, settings }: Omit<LogCondition, 'params'>,
  order: typeof NEWEST_FIRST | typeof OLDEST_FIRST,
): string =>
  `SELECT ${SHOWN} FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT {limit:UInt32} ${settingsSql([...settings, ...COLUMNS_FIRST])}`;

const NS_PER_MS = 1_000_000n;

/** A page newest first is mostly full after a fraction of the window; where an index tells what else matches, the rest is one stretch. */
function stretchesFor({ filter, window: { from, to }, after, beyond }: PageQuestion): LogWindow[] {
  const end = after && after.ts < to ? after.ts + 1n : to;
  // Few records, wherever they are.
  if (filter.trace_id || beyond) return [{ from, to: end }];
  const all = stretchesOf({ fromMs: Number(from / NS_PER_MS), toMs: Number((end + NS_PER_MS - 1n) / NS_PER_MS) });
  const stretches = readsEachLine(filter) ? all : all.slice(0, 2);
  return stretches.map(({ fromMs, toMs }, i) => ({
    from: i === stretches.length - 1 ? from : BigInt(fromMs) * NS_PER_MS,
    to: i === 0 ? end : BigInt(toMs) * NS_PER_MS,
  }));
}

/** Of a page: a word that the newest stretch has nowhere is in few records of the others. */
const settingsFor = (filter: LogFilter, found: number, stretch: number): readonly string[] =>
  isIndexed(filter) && found === 0 && (filter.trace_id !== undefined || stretch > 0) ? FEW_ROWS : [];

/** Of a question about all that match. */
const settingsForAll = (filter: LogFilter): string => settingsSql(isIndexed(filter) ? INDEX_FIRST : []);

/** `least` lets the store skip what it has long had; a partition that was not seen before begins at 0. */
const BEYOND = `bus_offset >= {least:UInt64}
  AND bus_offset >= arrayElement({offsets:Array(UInt64)}, indexOf({partitions:Array(UInt16)}, bus_partition))`;

function beyondParams(positions: Positions): Record<string, unknown> {
  const offsets = [...positions.values()];
  // A tenant is on one partition, but for when their number changes: then a new one counts from its start.
  const least = positions.size === 1 ? (offsets[0] ?? 0n) : 0n;
  return { least: String(least), partitions: [...positions.keys()], offsets };
}

/** The time alone lets the store skip parts; the whole place decides. */
const AFTER = `ts <= fromUnixTimestamp64Nano({atNs:Int64}) AND ${PLACE_COLUMNS} < ${PLACE}`;

const AROUND = `tenant_id = {tenant:String} AND service = {service:String}
    AND resource = (SELECT any(resource) FROM logs WHERE tenant_id = {tenant:String} AND ${PLACE_COLUMNS} = ${PLACE})
    AND ts >= fromUnixTimestamp64Nano({fromNs:Int64}) AND ts <= fromUnixTimestamp64Nano({toNs:Int64})`;

const ATTRIBUTES = ({ from, where, settings }: LogCondition): string => `SELECT key, sum(c) AS total,
      arraySlice(arraySort(x -> -x.2, groupArray((value, c))), 1, ${VALUES_A_KEY}) AS values FROM (
    SELECT key, substringUTF8(value, 1, ${VALUE_FACET}) AS value, count() AS c FROM (
      SELECT attributes, resource FROM ${from} WHERE ${where} ORDER BY ts DESC LIMIT ${SAMPLED})
    ARRAY JOIN arrayConcat(mapKeys(attributes), mapKeys(resource)) AS key, arrayConcat(mapValues(attributes), mapValues(resource)) AS value
    WHERE key NOT IN ('${NO_FACETS.join("', '")}') GROUP BY key, value) GROUP BY key ORDER BY total DESC, key LIMIT ${MAX_KEYS} ${settingsSql(settings)}`;

/** One question for the tenant, in its place among that tenant's others. */
type Read = <Row>(sql: string, params: Record<string, unknown>, limits?: ReadLimits) => Promise<Row[]>;

const createLists = (read: Read): Pick<LogReader, 'page' | 'find' | 'around'> => ({
  async page(question) {
    const { filter, after, beyond, limit } = question;
    const rest = `${after ? ` AND ${AFTER}` : ''}${beyond ? ` AND ${BEYOND}` : ''}`;
    const rows: LogRow[] = [];
    for (const [place, stretch] of stretchesFor(question).entries()) {
      const { params, settings, ...condition } = filterSql(filter, stretch);
      const all = { ...condition, settings: [...settings, ...settingsFor(filter, rows.length, place)] };
      const found = await read<LogRow>(pageSql({ ...all, where: condition.where + rest }, NEWEST_FIRST), {
        ...params,
        ...(after && placeParams(after)),
        ...(beyond && beyondParams(beyond)),
        limit: limit - rows.length,
      });
      rows.push(...found);
      if (rows.length >= limit) break;
    }
    return rows;
  },
  async find(place) {
    const sql = `SELECT ${WHOLE} FROM logs WHERE tenant_id = {tenant:String} AND ${PLACE_COLUMNS} = ${PLACE} LIMIT 1`;
    const [row] = await read<LogRow>(sql, placeParams(place));
    return row;
  },
  around({ place, service, window: { from, to }, side, limit }) {
    const condition = { from: 'logs', where: `${AROUND} AND ${PLACE_COLUMNS} ${side} ${PLACE}`, settings: [] };
    const sql = pageSql(condition, side === '<' ? NEWEST_FIRST : OLDEST_FIRST);
    return read<LogRow>(sql, { service, ...placeParams(place), fromNs: String(from), toNs: String(to), limit });
  },
});

export function createClickhouseReader(store: ColumnStore, tenant: TenantId): LogReader {
  const read: Read = (sql, params, limits) => store.read(tenant, sql, params, limits);
  return {
    ...createLists(read),
    async count({ filter, window, beyond }) {
      const { from, where, params } = filterSql(filter, window);
      const sql = `SELECT count() AS c FROM ${from} WHERE ${where} AND ${BEYOND} ${settingsForAll(filter)}`;
      const [row] = await read<{ c: number }>(sql, { ...params, ...beyondParams(beyond) });
      return row?.c ?? 0;
    },
    ends({ filter, window, beyond }) {
      const { from, where, params } = filterSql(filter, window);
      const sql = `SELECT bus_partition AS at, toString(max(bus_offset) + 1) AS next FROM ${from} WHERE ${where}
        ${beyond ? `AND ${BEYOND}` : ''} GROUP BY at`;
      return read<{ at: number; next: string }>(sql, { ...params, ...(beyond && beyondParams(beyond)) });
    },
    steps({ filter, window, stepMs }) {
      const { from, where, params } = filterSql(filter, window);
      const sql = `SELECT intDiv(toUnixTimestamp64Milli(ts), {step:Int64}) AS at, intDiv(severity + 3, 4) AS level, count() AS c
        FROM ${from} WHERE ${where} GROUP BY at, level ORDER BY at ${settingsForAll(filter)}`;
      return read<StepRow>(sql, { ...params, step: stepMs });
    },
    services({ filter, window }) {
      const { from, where, params } = filterSql(filter, window);
      const sql = `SELECT service, count() AS c FROM ${from} WHERE ${where} GROUP BY service ORDER BY c DESC, service LIMIT ${MAX_SERVICES}
        ${settingsForAll(filter)}`;
      return read<{ service: string; c: number }>(sql, params);
    },
    attributes({ filter, window }) {
      const condition = filterSql(filter, window);
      return read<FacetRow>(ATTRIBUTES(condition), condition.params);
    },
  };
}
