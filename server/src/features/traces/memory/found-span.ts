import type { BlockColumns } from '#telemetry';
import type { Place, Sort } from '../domain/cursor.ts';
import type { PointRow, SpanRow } from '../reader.ts';
import { compareTexts } from './source.ts';

const NS_PER_MS = 1_000_000n;

/** A span that may be shown; its ids are made into text only where the order asks for them. */
export class FoundSpan {
  /** Nanoseconds of the start or of the length, whichever the order is by. */
  readonly key: bigint;
  readonly columns: BlockColumns;
  readonly row: number;
  private trace: string | undefined;
  private span: string | undefined;

  constructor(columns: BlockColumns, row: number, sort: Sort) {
    this.key = columns.wides(sort === 'time' ? 'ts' : 'duration_ns')[row] as bigint;
    this.columns = columns;
    this.row = row;
  }

  get traceId(): string {
    this.trace ??= this.columns.ids('trace_id').hex(this.row);
    return this.trace;
  }

  get spanId(): string {
    this.span ??= this.columns.ids('span_id').hex(this.row);
    return this.span;
  }

  get durationMs(): number {
    return Number(this.columns.wides('duration_ns')[this.row]) / 1e6;
  }

  text(column: 'service' | 'name'): string {
    return this.columns.lows(column).at(this.row);
  }

  number(column: 'kind' | 'status'): number {
    return this.columns.numbers(column)[this.row] as number;
  }
}

/** The largest first. */
export const byPlace = (a: FoundSpan, b: FoundSpan): number =>
  a.key === b.key ? compareTexts(b.traceId, a.traceId) || compareTexts(b.spanId, a.spanId) : a.key > b.key ? -1 : 1;

/** Whether a span comes after a place; where traces are listed, all spans of the place's trace at its time stand before. */
export function isPast(span: FoundSpan, place: Place, of: 'traces' | 'spans'): boolean {
  const edge = BigInt(place.key);
  if (span.key !== edge) return span.key < edge;
  if (span.traceId !== place.traceId) return span.traceId < place.traceId;
  return of === 'spans' && span.spanId < place.spanId;
}

export const toSpanRow = (span: FoundSpan): SpanRow => ({
  key: String(span.key),
  traceId: span.traceId,
  spanId: span.spanId,
  service: span.text('service'),
  name: span.text('name'),
  kind: span.number('kind'),
  status: span.number('status'),
  atMs: Number((span.columns.wides('ts')[span.row] as bigint) / NS_PER_MS),
  durationMs: span.durationMs,
});

export const toPointRow = (span: FoundSpan): PointRow => ({
  traceId: span.traceId,
  spanId: span.spanId,
  at: Number((span.columns.wides('ts')[span.row] as bigint) / 1000n) / 1000,
  ms: span.durationMs,
  error: span.number('status') === 2 ? 1 : 0,
  service: span.text('service'),
  name: span.text('name'),
});
