import { countOfPage } from '#api';
import { AppError, type Ctx } from '#kernel';
import type { LogsInput } from './api.ts';
import { readerOf, type TracesContext } from './context.ts';
import { type AnalysedSpan, analyseTrace } from './domain/analyse-trace.ts';
import { MAX_SPANS, type TraceReader, type TraceSpanRow } from './reader.ts';
import { kindName, statusName } from './span-words.ts';
import type { SpanLogs, Trace } from './views.ts';

export const noSuchTrace = (): AppError =>
  new AppError('not_found', 'No span of this trace is stored: it was never received, or has expired.');

/** A span that its sender sent twice, not knowing that it had arrived, is one span. */
function dropRepeats(rows: readonly TraceSpanRow[]): TraceSpanRow[] {
  const known = new Set<string>();
  return rows.filter((row) => {
    const key = `${row.id} ${row.at} ${row.duration} ${row.kind} ${row.name}`;
    return !known.has(key) && known.add(key);
  });
}

const toIso = (unixNano: bigint): string => new Date(Number(unixNano / 1_000_000n)).toISOString();

const countFailed = (rows: readonly TraceSpanRow[]): number => rows.filter(({ status }) => status === 2).length;

/** Spans that are shown, with the counts of the whole trace. */
async function readSpans(reader: TraceReader, id: string): Promise<{ rows: TraceSpanRow[]; total: number; errors: number }> {
  const { rows, beyond } = await reader.spansOf(id);
  if (rows.length === 0) throw noSuchTrace();
  const once = dropRepeats(rows);
  const shown = dropRepeats(rows.slice(0, Math.min(MAX_SPANS, countOfPage(rows))));
  return { rows: shown, ...(beyond ?? { total: once.length, errors: countFailed(once) }) };
}

/** Failed spans without an HTTP status get what else says how they failed. */
async function addCodes(reader: TraceReader, id: string, rows: readonly TraceSpanRow[]): Promise<void> {
  const unnamed = rows.filter(({ status, code }) => status === 2 && code === '');
  if (unnamed.length === 0) return;
  const codes = new Map((await reader.codesOf(id)).map(({ id: span, code }) => [span, code]));
  for (const row of unnamed) row.code = codes.get(row.id) ?? '';
}

/** One trace as a tree with what can be told of it; at most 10,000 of its spans, the earliest, and fewer where they are heavy. `not_found` for one of another tenant. */
export async function readTrace(deps: TracesContext, ctx: Ctx, { id }: { id: string }): Promise<Trace> {
  const reader = readerOf(deps, ctx);
  const { rows, total, errors } = await readSpans(reader, id);
  await addCodes(reader, id, rows);
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
  const root = rows[facts.mainRoot ?? 0] as TraceSpanRow;
  const services = [...facts.services].sort(([, a], [, b]) => b.critical - a.critical || b.own - a.own);
  return {
    trace_id: id,
    started_at: toIso(first),
    start_unix_nano: first.toString(),
    duration_ns: spans.reduce((end, span) => Math.max(end, span.start + span.duration), 0),
    root: { service: root.service, name: root.name, seen: root.parent === '', duration_ns: Number(root.duration) },
    span_count: total,
    errors,
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
      const row = rows[index] as TraceSpanRow;
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

/** What was logged within a trace, or within one span of it, oldest first. */
export async function readLogs(deps: TracesContext, ctx: Ctx, { id, span, limit }: LogsInput): Promise<SpanLogs> {
  const rows = await readerOf(deps, ctx).logsOf({ id, ...(span !== undefined && { span }), limit: limit + 1 });
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
