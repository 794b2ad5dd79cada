import { AppError, type Ctx } from '#kernel';
import { ask, type TracesDeps } from './context.ts';
import { type Listed, toOtlpTrace, type WholeSpan } from './domain/otlp-trace.ts';
import { MAX_SPANS, noSuchTrace, OF_TRACE } from './read-trace.ts';
import type { SpanDetail } from './views.ts';

/** Of what one download may be made of. */
const MAX_OTLP_BYTES = 64 * 1024 * 1024;

/** A span with all that was sent of it; maps as two lists, since JSON objects would sort keys that are numbers. */
interface WholeRow extends Omit<WholeSpan, 'attributes' | 'resource' | 'events' | 'links'> {
  attributes: Pair;
  attributeTypes: string;
  resource: Pair;
  resourceTypes: string;
  eventAt: string[];
  eventNames: string[];
  eventAttributes: Pair[];
  eventTypes: string[];
  linkTraces: string[];
  linkSpans: string[];
  linkAttributes: Pair[];
  linkTypes: string[];
}
type Pair = [keys: string[], values: string[]];

const listsOf = (map: string): string => `[mapKeys(${map}), arrayMap(v -> toString(v), mapValues(${map}))]`;

const WHOLE = `SELECT lower(hex(trace_id)) AS traceId, lower(hex(span_id)) AS id,
    if(parent_id = unhex('0000000000000000'), '', lower(hex(parent_id))) AS parent,
    toString(toUnixTimestamp64Nano(ts)) AS at, toString(toUInt64(toUnixTimestamp64Nano(ts)) + duration_ns) AS end,
    trace_state AS traceState, flags, name, kind, status, status_message AS message, scope, scope_version AS scopeVersion,
    ${listsOf('spans.attributes')} AS attributes, attribute_types AS attributeTypes,
    ${listsOf('spans.resource')} AS resource, resource_types AS resourceTypes,
    arrayMap(t -> toString(toUnixTimestamp64Nano(t)), event_ts) AS eventAt, event_names AS eventNames,
    arrayMap(m -> ${listsOf('m')}, event_attributes) AS eventAttributes, event_attribute_types AS eventTypes,
    arrayMap(i -> lower(hex(i)), link_trace_ids) AS linkTraces, arrayMap(i -> lower(hex(i)), link_span_ids) AS linkSpans,
    arrayMap(m -> ${listsOf('m')}, link_attributes) AS linkAttributes, link_attribute_types AS linkTypes, dropped
  FROM spans WHERE ${OF_TRACE}`;

const toListed = (pair: Pair | undefined, types = ''): Listed => ({ keys: pair?.[0] ?? [], values: pair?.[1] ?? [], types });

function toWhole({ attributes, attributeTypes, resource, resourceTypes, ...row }: WholeRow): WholeSpan {
  return {
    ...row,
    attributes: toListed(attributes, attributeTypes),
    resource: toListed(resource, resourceTypes),
    events: row.eventAt.map((at, i) => ({
      at,
      name: row.eventNames[i] ?? '',
      attributes: toListed(row.eventAttributes[i], row.eventTypes[i]),
    })),
    links: row.linkTraces.map((traceId, i) => ({
      traceId,
      spanId: row.linkSpans[i] ?? '',
      attributes: toListed(row.linkAttributes[i], row.linkTypes[i]),
    })),
  };
}

const toRows = ({ keys, values, types }: Listed) =>
  keys.map((key, index) => ({ key, value: values[index] ?? '', type: types[index] ?? 's' }));

/** All of one span; `not_found` for one of another tenant. */
export async function readSpan(deps: TracesDeps, ctx: Ctx, { id, span }: { id: string; span: string }): Promise<SpanDetail> {
  const sql = `${WHOLE} AND span_id = unhex({span:String}) ORDER BY ts LIMIT 1`;
  const [row] = await ask<WholeRow>(deps, ctx, { sql, params: { id, span } });
  if (row === undefined)
    throw new AppError('not_found', 'This span is not here: it was never received, or is older than spans are kept.');
  const whole = toWhole(row);
  const [attributes = 0, events = 0, links = 0] = whole.dropped;
  return {
    trace_id: id,
    span_id: whole.id,
    attributes: toRows(whole.attributes),
    resource: toRows(whole.resource),
    scope: whole.scope,
    scope_version: whole.scopeVersion,
    events: whole.events.map(({ at, name, attributes: of }) => ({
      unix_nano: at,
      at: new Date(Number(BigInt(at) / 1_000_000n)).toISOString(),
      name,
      attributes: toRows(of),
    })),
    links: whole.links.map(({ traceId, spanId, attributes: of }) => ({
      trace_id: traceId,
      span_id: spanId,
      attributes: toRows(of),
    })),
    dropped: { attributes, events, links },
  };
}

/** The whole trace as OTLP JSON, ready to be sent again; `too_large` beyond 10,000 spans or 64 MiB. */
export async function exportTrace(deps: TracesDeps, ctx: Ctx, { id }: { id: string }): Promise<string> {
  const sized = await ask<{ spans: number; bytes: number }>(deps, ctx, {
    sql: `SELECT count() AS spans, sum(byteSize(attributes, resource, event_attributes, link_attributes)) AS bytes
      FROM spans WHERE ${OF_TRACE}`,
    params: { id },
  });
  const { spans = 0, bytes = 0 } = sized[0] ?? {};
  if (spans === 0) throw noSuchTrace();
  if (spans > MAX_SPANS || bytes > MAX_OTLP_BYTES)
    throw new AppError('too_large', `A trace of ${spans} spans and ${bytes} bytes is not given as one document.`);
  const sql = `${WHOLE} ORDER BY ts, span_id LIMIT 1 BY span_id, ts, duration_ns, name, kind LIMIT ${MAX_SPANS}`;
  const rows = await ask<WholeRow>(deps, ctx, { sql, params: { id } });
  return JSON.stringify(toOtlpTrace(rows.map(toWhole)));
}
