import type { BlockColumns, Maps } from '#telemetry';
import type { Place } from './domain/place.ts';
import { BODY_SHOWN, NOTES_SHOWN, VALUE_SHOWN } from './reader.ts';
import type { LogRow } from './records.ts';

/** A row of a block that may be shown. */
export interface Found extends Place {
  at: number;
  columns: BlockColumns;
}

export const foundAt = (columns: BlockColumns, at: number): Found => ({
  ts: columns.wides('ts')[at] as bigint,
  partition: columns.numbers('bus_partition')[at] as number,
  offset: columns.wides('bus_offset')[at] as bigint,
  row: columns.numbers('row')[at] as number,
  at,
  columns,
});

const compare = <T extends bigint | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** In the order of the bus where times are alike. */
export const oldestFirst = (a: Place, b: Place): number =>
  compare(a.ts, b.ts) || compare(a.partition, b.partition) || compare(a.offset, b.offset) || compare(a.row, b.row);
export const newestFirst = (a: Place, b: Place): number => oldestFirst(b, a);

/** The first characters of a text, none of them halved. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  let end = 0;
  for (let count = 0; count < characters && end < text.length; count++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

const whole = (maps: Maps, row: number): Record<string, string> => {
  const { keys, values } = maps.entries(row);
  return Object.fromEntries(keys.map((key, i) => [key, values[i] as string]));
};

const cutMap = (map: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, cutText(value, VALUE_SHOWN)]));

const isLong = (map: Record<string, string>): boolean =>
  Object.values(map).some((value) => value.length > VALUE_SHOWN || Buffer.byteLength(value) > VALUE_SHOWN);

export function wholeRow({ columns, at, ...place }: Found): LogRow {
  return {
    ts_ns: String(place.ts),
    observed_ns: String(columns.wides('observed_ts')[at]),
    at_partition: place.partition,
    at_offset: String(place.offset),
    at_row: place.row,
    severity: columns.numbers('severity')[at] as number,
    severity_text: columns.lows('severity_text').at(at),
    service: columns.lows('service').at(at),
    body: columns.texts('body').at(at),
    event_name: columns.lows('event_name').at(at),
    trace: columns.ids('trace_id').hex(at),
    span: columns.ids('span_id').hex(at),
    flags: columns.numbers('flags')[at] as number,
    attributes: whole(columns.maps('attributes'), at),
    resource: whole(columns.maps('resource'), at),
    scope: columns.lows('scope').at(at),
    scope_version: columns.lows('scope_version').at(at),
    origin: columns.has('origin') ? columns.lows('origin').at(at) : '',
    dropped: columns.numbers('dropped')[at] as number,
    cut: 0,
  };
}

/** As a list shows it. */
export function shownRow(found: Found): LogRow {
  const row = wholeRow(found);
  const { body, attributes, resource, origin } = row;
  const noted = Buffer.byteLength(origin) > NOTES_SHOWN;
  const cut = found.columns.texts('body').size(found.at) > BODY_SHOWN || noted || isLong(attributes) || isLong(resource);
  return {
    ...row,
    body: cutText(body, BODY_SHOWN),
    attributes: cutMap(attributes),
    resource: cutMap(resource),
    origin: noted ? '' : origin,
    cut: cut ? 1 : 0,
  };
}
