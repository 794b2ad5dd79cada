import { type EncodedBlock, encodeBlock } from '@svc/bytes';
import type { BuildMessage } from './builder.ts';
import { encodeApart } from './sinks.ts';
import type { SpanFacts } from './span-facts.ts';

const SERVER = 2;
const CONSUMER = 5;
const MINUTE_MS = 60_000;
/** Callees are looked for so long after a call began. */
const LONGEST_CALL_MS = 600_000;

/**
 * Minutes of `edges` that spans change (clickhouse/migrations/0010): their own and those in which their callees (while the span lasts, ten
 * minutes at most) or their caller (the minute before) stand. Noted here because a materialised view over the same rows cost the store as
 * much as a sixth of storing them. The block is inserted behind the spans and noted again where they come again: a mark may be one too
 * many, never missing.
 */
export class EdgeMarks {
  private readonly minutes = new Map<string, Set<number>>();
  private message: BuildMessage | undefined;
  private current = new Set<number>();
  private first = 0;
  private last = 0;

  note(message: BuildMessage, { tsMs, endMs, kind }: SpanFacts): void {
    if (message !== this.message) this.begin(message);
    const isCallee = kind === SERVER || kind === CONSUMER;
    const lastsMs = isCallee || endMs === 0 ? 0 : Math.min(Math.max(endMs - tsMs, 0), LONGEST_CALL_MS);
    const first = Math.floor(tsMs / MINUTE_MS) - (isCallee ? 1 : 0);
    const last = Math.floor((tsMs + lastsMs) / MINUTE_MS);
    if (first >= this.first && last <= this.last) return;
    for (let minute = first; minute <= last; minute++) this.current.add(minute);
    this.first = first;
    this.last = last;
  }

  private begin(message: BuildMessage): void {
    this.message = message;
    const { tenant } = message;
    this.current = this.minutes.get(tenant) ?? new Set();
    this.minutes.set(tenant, this.current);
    this.first = Number.POSITIVE_INFINITY;
    this.last = Number.NEGATIVE_INFINITY;
  }

  /** Rows of `edge_marks`, and empty again; undefined where there are none. */
  finish(nowMs: number): EncodedBlock | undefined {
    const marks = [...this.minutes].flatMap(([tenant, minutes]) => Array.from(minutes, (minute) => ({ tenant, minute })));
    this.reset();
    if (marks.length === 0) return undefined;
    const table = 'edge_marks';
    const columns = [
      { name: 'tenant_id', type: 'LowCardinality(String)' as const, values: marks.map(({ tenant }) => tenant) },
      { name: 'minute', type: 'UInt32' as const, values: marks.map(({ minute }) => minute) },
      { name: 'writes', type: 'UInt64' as const, values: marks.map(() => 1n) },
      { name: 'written_at', type: 'DateTime64(3)' as const, values: marks.map(() => nowMs) },
    ];
    const bytes = encodeApart((sink) => encodeBlock(sink, { table, rows: marks.length, columns }));
    return { table, rows: marks.length, columns: columns.map(({ name }) => name), bytes };
  }

  reset(): void {
    this.minutes.clear();
    this.message = undefined;
  }
}
