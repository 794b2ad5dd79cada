import { FEW_ROWS, settingsSql } from '#telemetry';
import type { Listed, WholeSpan } from '../domain/otlp-trace.ts';
import { MAX_SPANS, type TraceLogRow, type TraceReader, type TraceSpanRow } from '../reader.ts';
import type { Ask } from './ask.ts';

const OF_TRACE = 'tenant_id = {tenant:String} AND trace_id = unhex({id:String})';
const SETTINGS = settingsSql(FEW_ROWS);

const SPANS = `SELECT lower(hex(span_id)) AS id, if(parent_id = unhex('0000000000000000'), '', lower(hex(parent_id))) AS parent,
    toString(toUnixTimestamp64Nano(ts)) AS at, toString(duration_ns) AS duration, service, name, kind, status,
    substring(status_message, 1, 500) AS message, if(http_status > 0, toString(http_status), '') AS code,
    length(event_ts) AS events, JSONLength(extras, 'links') AS links
  FROM spans WHERE ${OF_TRACE} ORDER BY ts, span_id LIMIT ${MAX_SPANS + 1} ${SETTINGS}`;

/** Apart from the others: attributes weigh more than all else of a span, and only failed ones need theirs here. */
const CODES = `SELECT lower(hex(span_id)) AS id,
    if(attributes['rpc.grpc.status_code'] != '', attributes['rpc.grpc.status_code'], substring(attributes['error.type'], 1, 60)) AS code
  FROM spans WHERE ${OF_TRACE} AND status = 2 AND http_status = 0 LIMIT ${MAX_SPANS} ${SETTINGS}`;

async function readSpansOf(ask: Ask, id: string): ReturnType<TraceReader['spansOf']> {
  const rows = await ask<TraceSpanRow>({ sql: SPANS, params: { id }, limits: { maxRows: MAX_SPANS + 1 } });
  if (rows.length <= MAX_SPANS) return { rows };
  const [counted] = await ask<{ total: number; errors: number }>({
    sql: `SELECT count() AS total, countIf(status = 2) AS errors
      FROM (SELECT status FROM spans WHERE ${OF_TRACE} LIMIT 1 BY span_id, ts, duration_ns, kind, name) ${SETTINGS}`,
    params: { id },
  });
  return { rows, ...(counted && { beyond: counted }) };
}

/** A span with all that was sent of it; maps as two lists, since JSON objects would sort keys that are numbers. */
interface WholeRow extends Omit<WholeSpan, 'attributes' | 'resource' | 'events'> {
  attributes: Pair;
  attributeTypes: string;
  resource: Pair;
  resourceTypes: string;
  eventAt: string[];
  eventNames: string[];
  eventAttributes: Pair[];
  eventTypes: string[];
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
    extras, origin
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
  };
}

/** What is asked about one trace. */
export const createTraceQuestions = (
  ask: Ask,
): Pick<TraceReader, 'spansOf' | 'codesOf' | 'logsOf' | 'whole' | 'sizeOf' | 'wholes'> => ({
  spansOf: (id) => readSpansOf(ask, id),
  codesOf: (id) => ask<{ id: string; code: string }>({ sql: CODES, params: { id } }),
  logsOf: ({ id, span, limit }) =>
    ask<TraceLogRow>({
      sql: `SELECT toString(toUnixTimestamp64Nano(ts)) AS atNano, lower(hex(span_id)) AS span, service, severity,
        severity_text AS severityText, substring(body, 1, 4096) AS body
      FROM logs WHERE ${OF_TRACE}${span === undefined ? '' : ' AND span_id = unhex({span:String})'}
      ORDER BY ts, bus_partition, bus_offset, row LIMIT {limit:UInt32} ${SETTINGS}`,
      params: { id, limit, ...(span !== undefined && { span }) },
    }),
  async whole(id, span) {
    const sql = `${WHOLE} AND span_id = unhex({span:String}) ORDER BY ts LIMIT 1 ${SETTINGS}`;
    const [row] = await ask<WholeRow>({ sql, params: { id, span } });
    return row && toWhole(row);
  },
  async sizeOf(id) {
    const [sized] = await ask<{ spans: number; bytes: number }>({
      sql: `SELECT count() AS spans, sum(byteSize(attributes, resource, origin, event_attributes, extras)) AS bytes
      FROM spans WHERE ${OF_TRACE} ${SETTINGS}`,
      params: { id },
    });
    return sized ?? { spans: 0, bytes: 0 };
  },
  async wholes(id) {
    const sql = `${WHOLE} ORDER BY ts, span_id LIMIT 1 BY span_id, ts, duration_ns, name, kind LIMIT ${MAX_SPANS} ${SETTINGS}`;
    return (await ask<WholeRow>({ sql, params: { id } })).map(toWhole);
  },
});
