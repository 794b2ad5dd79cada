import { AppError, type Ctx } from '#kernel';
import type { LogsInput } from './api.ts';
import { ask, type TracesDeps } from './context.ts';
import { type AnalysedSpan, analyseTrace } from './domain/analyse-trace.ts';
import { kindName, statusName } from './span-words.ts';
import type { SpanLogs, Trace } from './views.ts';

export const MAX_SPANS = 10_000;

export const OF_TRACE = 'tenant_id = {tenant:String} AND trace_id = unhex({id:String})';

interface SpanRow {
  id: string;
  parent: string;
  at: string;
  duration: string;
  service: string;
  name: string;
  kind: number;
  status: number;
  message: string;
  code: string;
  events: number;
  links: number;
}

const SPANS = `SELECT lower(hex(span_id)) AS id, if(parent_id = unhex('0000000000000000'), '', lower(hex(parent_id))) AS parent,
    toString(toUnixTimestamp64Nano(ts)) AS at, toString(duration_ns) AS duration, service, name, kind, status,
    substring(status_message, 1, 500) AS message, if(http_status > 0, toString(http_status), '') AS code,
    length(event_ts) AS events, length(link_trace_ids) AS links
  FROM spans WHERE ${OF_TRACE} ORDER BY ts, span_id LIMIT ${MAX_SPANS + 1}`;

/** Apart from the others: attributes weigh more than all else of a span, and only failed ones need theirs here. */
const CODES = `SELECT lower(hex(span_id)) AS id,
    if(attributes['rpc.grpc.status_code'] != '', attributes['rpc.grpc.status_code'], substring(attributes['error.type'], 1, 60)) AS code
  FROM spans WHERE ${OF_TRACE} AND status = 2 AND http_status = 0 LIMIT ${MAX_SPANS}`;

export const noSuchTrace = (): AppError =>
  new AppError('not_found', 'No span of this trace is here: it was never received, or is older than spans are kept.');

/** A span that its sender sent twice, not knowing that it had arrived, is one span. */
function dropRepeats(rows: readonly SpanRow[]): SpanRow[] {
  const known = new Set<string>();
  return rows.filter((row) => {
    const key = `${row.id} ${row.at} ${row.duration} ${row.kind} ${row.name}`;
    return !known.has(key) && known.add(key);
  });
}

const toIso = (unixNano: bigint): string => new Date(Number(unixNano / 1_000_000n)).toISOString();

async function readSpans(deps: TracesDeps, ctx: Ctx, id: string): Promise<{ rows: SpanRow[]; total: number }> {
  const rows = await ask<SpanRow>(deps, ctx, { sql: SPANS, params: { id }, limits: { maxRows: MAX_SPANS + 1 } });
  if (rows.length === 0) throw noSuchTrace();
  if (rows.length <= MAX_SPANS) {
    const once = dropRepeats(rows);
    return { rows: once, total: once.length };
  }
  const counted = await ask<{ n: number }>(deps, ctx, {
    sql: `SELECT count() AS n FROM spans WHERE ${OF_TRACE}`,
    params: { id },
  });
  return { rows: dropRepeats(rows.slice(0, MAX_SPANS)), total: counted[0]?.n ?? rows.length };
}

/** Failed spans without an HTTP status get what else says how they failed. */
async function addCodes(deps: TracesDeps, ctx: Ctx, q: { id: string; rows: readonly SpanRow[] }): Promise<void> {
  const unnamed = q.rows.filter(({ status, code }) => status === 2 && code === '');
  if (unnamed.length === 0) return;
  const found = await ask<{ id: string; code: string }>(deps, ctx, { sql: CODES, params: { id: q.id } });
  const codes = new Map(found.map(({ id, code }) => [id, code]));
  for (const row of unnamed) row.code = codes.get(row.id) ?? '';
}

/** One trace as a tree with what can be told of it; at most 10,000 of its spans, the earliest. `not_found` for one of another tenant. */
export async function readTrace(deps: TracesDeps, ctx: Ctx, { id }: { id: string }): Promise<Trace> {
  const { rows, total } = await readSpans(deps, ctx, id);
  await addCodes(deps, ctx, { id, rows });
  const first = BigInt(rows[0]?.at ?? 0);
  const spans = rows.map(
    (row): AnalysedSpan => ({
      id: row.id,
      parent: row.parent,
      start: Number(BigInt(row.at) - first),
      duration: Number(row.duration),
      service: row.service,
      kind: kindName(row.kind),
      error: row.status === 2,
    }),
  );
  const facts = analyseTrace(spans);
  const root = rows[facts.mainRoot ?? 0] as SpanRow;
  const services = [...facts.services].sort(([, a], [, b]) => b.critical - a.critical || b.own - a.own);
  return {
    trace_id: id,
    started_at: toIso(first),
    start_unix_nano: first.toString(),
    duration_ns: spans.reduce((end, span) => Math.max(end, span.start + span.duration), 0),
    root: { service: root.service, name: root.name, seen: root.parent === '', duration_ns: Number(root.duration) },
    span_count: total,
    errors: rows.filter(({ status }) => status === 2).length,
    services: services.map(([name, of]) => ({
      name,
      spans: of.spans,
      errors: of.errors,
      own_ns: of.own,
      critical_ns: of.critical,
    })),
    wire_ns: facts.wire,
    missing_parents: facts.spans.filter(({ parentMissing }) => parentMissing).length,
    skews: facts.skews.slice(0, 20).map(({ skew, ...pair }) => ({ ...pair, skew_ns: skew })),
    spans: facts.spans.map(({ index, depth, parentMissing, own, critical, crosses, skew }) => {
      const row = rows[index] as SpanRow;
      const { start, duration } = spans[index] as AnalysedSpan;
      return {
        id: row.id,
        parent: row.parent,
        parent_missing: parentMissing,
        depth,
        service: row.service,
        name: row.name,
        kind: kindName(row.kind),
        status: statusName(row.status),
        status_message: row.message,
        code: row.code,
        start_ns: start,
        duration_ns: duration,
        own_ns: own,
        critical,
        crosses,
        skew_ns: skew,
        events: row.events,
        links: row.links,
      };
    }),
  };
}

interface LogRow {
  atNano: string;
  span: string;
  service: string;
  severity: number;
  severityText: string;
  body: string;
}

/** What was logged within a trace, or within one span of it, oldest first. */
export async function readLogs(deps: TracesDeps, ctx: Ctx, { id, span, limit }: LogsInput): Promise<SpanLogs> {
  const rows = await ask<LogRow>(deps, ctx, {
    sql: `SELECT toString(toUnixTimestamp64Nano(ts)) AS atNano, lower(hex(span_id)) AS span, service, severity,
        severity_text AS severityText, substring(body, 1, 4096) AS body
      FROM logs WHERE ${OF_TRACE}${span === undefined ? '' : ' AND span_id = unhex({span:String})'}
      ORDER BY ts, bus_partition, bus_offset, row LIMIT {limit:UInt32}`,
    params: { id, limit: limit + 1, ...(span !== undefined && { span }) },
  });
  return {
    items: rows.slice(0, limit).map((row) => ({
      at: toIso(BigInt(row.atNano)),
      unix_nano: row.atNano,
      span_id: row.span,
      service: row.service,
      severity: row.severity,
      severity_text: row.severityText,
      body: row.body,
    })),
    more: rows.length > limit,
  };
}
