import { parseSpanExtras } from '@svc/contracts/otlp/span-extras';
import { type BlockColumns, createBest, type Ids, type Lows, type Maps, type Wides } from '#telemetry';
import type { Listed, WholeSpan } from '../domain/otlp-trace.ts';
import { MAX_SPANS, type TraceLogRow, type TraceReader, type TraceSpanRow } from '../reader.ts';
import { FoundSpan } from './found-span.ts';
import { compareTexts, type Source } from './source.ts';

const ERROR = 2;
const MESSAGE_SHOWN = 500;
const CODE_SHOWN = 60;
const BODY_SHOWN = 4096;

const byStart = (a: FoundSpan, b: FoundSpan): number =>
  a.key === b.key ? compareTexts(a.spanId, b.spanId) : a.key < b.key ? -1 : 1;

/** Visits the rows of a trace, wherever they lie in time. */
function scanTrace(
  { memory, tenant }: Source,
  q: { table: 'spans' | 'logs'; id: string },
  visit: (columns: BlockColumns, row: number) => void,
) {
  const wanted = Buffer.from(q.id, 'hex');
  return memory.scan(tenant, { table: q.table }, ({ rows, columns }) => {
    const traces = columns.ids('trace_id');
    for (const row of rows) if (traces.is(row, wanted)) visit(columns, row);
  });
}

async function findSpans(source: Source, id: string, limit: number): Promise<{ found: FoundSpan[]; total: number }> {
  const best = createBest(limit, byStart);
  let total = 0;
  await scanTrace(source, { table: 'spans', id }, (columns, row) => {
    total++;
    best.add(new FoundSpan(columns, row, 'time'));
  });
  return { found: best.list(), total };
}

const idOrNone = (ids: Ids, row: number): string => (ids.isZero(row) ? '' : ids.hex(row));

const lengthOf = (columns: BlockColumns, list: string, row: number): number => {
  const { ranges } = columns.lists(list);
  return ranges.to(row) - ranges.from(row);
};

const extrasOf = (columns: BlockColumns, row: number): string => (columns.has('extras') ? columns.texts('extras').at(row) : '');

function toTraceSpan(span: FoundSpan): TraceSpanRow {
  const { columns, row } = span;
  const status = columns.numbers('http_status')[row];
  return {
    id: span.spanId,
    parent: idOrNone(columns.ids('parent_id'), row),
    at: String(span.key),
    duration: String(columns.wides('duration_ns')[row]),
    service: span.text('service'),
    name: span.text('name'),
    kind: span.number('kind'),
    status: span.number('status'),
    message: columns.texts('status_message').at(row).slice(0, MESSAGE_SHOWN),
    code: status === 0 ? '' : String(status),
    events: lengthOf(columns, 'event_ts', row),
    links: parseSpanExtras(extrasOf(columns, row)).links.length,
  };
}

const listed = (maps: Maps, entry: number, types: string): Listed => ({ ...maps.entries(entry), types });

/** One entry for each event that the row has. */
function eachEvent<T>(columns: BlockColumns, row: number, make: (entry: number) => T): T[] {
  const { ranges } = columns.lists('event_ts');
  const from = ranges.from(row);
  return Array.from({ length: ranges.to(row) - from }, (_, i) => make(from + i));
}

function toWhole(found: FoundSpan): WholeSpan {
  const { columns, row, key } = found;
  const list = <T extends Wides | Lows | Maps>(name: string): T => columns.lists<T>(name).items;
  const low = (name: string): string => columns.lows(name).at(row);
  return {
    traceId: found.traceId,
    id: found.spanId,
    parent: idOrNone(columns.ids('parent_id'), row),
    at: String(key),
    end: String(key + (columns.wides('duration_ns')[row] as bigint)),
    traceState: columns.texts('trace_state').at(row),
    flags: columns.numbers('flags')[row] as number,
    name: found.text('name'),
    kind: found.number('kind'),
    status: found.number('status'),
    message: columns.texts('status_message').at(row),
    scope: low('scope'),
    scopeVersion: low('scope_version'),
    resource: listed(columns.maps('resource'), row, low('resource_types')),
    attributes: listed(columns.maps('attributes'), row, low('attribute_types')),
    events: eachEvent(columns, row, (entry) => ({
      at: String(list<Wides>('event_ts')[entry]),
      name: list<Lows>('event_names').at(entry),
      attributes: listed(list<Maps>('event_attributes'), entry, list<Lows>('event_attribute_types').at(entry)),
    })),
    extras: extrasOf(columns, row),
    origin: columns.has('origin') ? low('origin') : '',
  };
}

function bytesOf(maps: Maps, entry: number): number {
  let bytes = 0;
  for (let i = maps.ranges.from(entry); i < maps.ranges.to(entry); i++) bytes += maps.keys.size(i) + maps.values.size(i);
  return bytes;
}

function attributeBytes(columns: BlockColumns, row: number): number {
  const ofEvents = columns.lists<Maps>('event_attributes').items;
  const nested = eachEvent(columns, row, (entry) => bytesOf(ofEvents, entry));
  const extras = columns.has('extras') ? columns.texts('extras').size(row) : 0;
  const notes = columns.has('origin') ? columns.lows('origin').size(row) : 0;
  const own = bytesOf(columns.maps('attributes'), row) + bytesOf(columns.maps('resource'), row) + notes + extras;
  return nested.reduce((sum, bytes) => sum + bytes, own);
}

interface FoundLog {
  ts: bigint;
  partition: number;
  offset: bigint;
  place: number;
  columns: BlockColumns;
  row: number;
}

const inOrder = (a: FoundLog, b: FoundLog): number => {
  if (a.ts !== b.ts) return a.ts < b.ts ? -1 : 1;
  if (a.partition !== b.partition) return a.partition - b.partition;
  return a.offset === b.offset ? a.place - b.place : a.offset < b.offset ? -1 : 1;
};

async function findLogs(source: Source, { id, span, limit }: Parameters<TraceReader['logsOf']>[0]): Promise<TraceLogRow[]> {
  const wanted = span === undefined ? undefined : Buffer.from(span, 'hex');
  const best = createBest(limit, inOrder);
  await scanTrace(source, { table: 'logs', id }, (columns, row) => {
    if (wanted && !columns.ids('span_id').is(row, wanted)) return;
    best.add({
      ts: columns.wides('ts')[row] as bigint,
      partition: columns.numbers('bus_partition')[row] as number,
      offset: columns.wides('bus_offset')[row] as bigint,
      place: columns.numbers('row')[row] as number,
      columns,
      row,
    });
  });
  return best.list().map(({ ts, columns, row }) => ({
    atNano: String(ts),
    span: columns.ids('span_id').hex(row),
    service: columns.lows('service').at(row),
    severity: columns.numbers('severity')[row] as number,
    severityText: columns.lows('severity_text').at(row),
    body: columns.texts('body').at(row).slice(0, BODY_SHOWN),
  }));
}

function codeOf(columns: BlockColumns, row: number): string {
  const attributes = columns.maps('attributes');
  return attributes.find(row, 'rpc.grpc.status_code') || (attributes.find(row, 'error.type') ?? '').slice(0, CODE_SHOWN);
}

type TraceQuestions = Pick<TraceReader, 'spansOf' | 'codesOf' | 'logsOf' | 'whole' | 'sizeOf' | 'wholes'>;

/** What is asked about one trace. */
export const createTraceQuestions = (source: Source): TraceQuestions => ({
  async spansOf(id) {
    const { found, total } = await findSpans(source, id, MAX_SPANS + 1);
    return { rows: found.map(toTraceSpan), total };
  },
  async codesOf(id) {
    const codes: { id: string; code: string }[] = [];
    await scanTrace(source, { table: 'spans', id }, (columns, row) => {
      if (columns.numbers('status')[row] !== ERROR || columns.numbers('http_status')[row] !== 0 || codes.length >= MAX_SPANS)
        return;
      codes.push({ id: columns.ids('span_id').hex(row), code: codeOf(columns, row) });
    });
    return codes;
  },
  logsOf: (question) => findLogs(source, question),
  async whole(id, span) {
    const wanted = Buffer.from(span, 'hex');
    const best = createBest(1, byStart);
    await scanTrace(source, { table: 'spans', id }, (columns, row) => {
      if (columns.ids('span_id').is(row, wanted)) best.add(new FoundSpan(columns, row, 'time'));
    });
    const [found] = best.list();
    return found && toWhole(found);
  },
  async sizeOf(id) {
    const size = { spans: 0, bytes: 0 };
    await scanTrace(source, { table: 'spans', id }, (columns, row) => {
      size.spans++;
      size.bytes += attributeBytes(columns, row);
    });
    return size;
  },
  async wholes(id) {
    const { found } = await findSpans(source, id, MAX_SPANS);
    const known = new Set<string>();
    const once = found.filter((span) => {
      const duration = span.columns.wides('duration_ns')[span.row];
      const key = JSON.stringify([span.spanId, String(span.key), String(duration), span.text('name'), span.number('kind')]);
      return !known.has(key) && known.add(key);
    });
    return once.map(toWhole);
  },
});
