/** Answers of procedures as an assistant reads them: without what only charts need, and what matters of what is too long. */

type Shape = (answer: unknown) => unknown;

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Without the fields of these names, wherever they stand. */
export const without = (...names: readonly string[]): Shape => {
  const leave = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(leave);
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([name]) => !names.includes(name));
    return Object.fromEntries(kept.map(([name, one]) => [name, leave(one)]));
  };
  return leave;
};

/** So many series are enough to compare, and more are a table. */
const MAX_SERIES = 20;

/** The first series; `matched` says how many there are. */
export const shapeRange: Shape = (answer) => {
  const range = recordOf(answer);
  return { ...range, series: listOf(range.series).slice(0, MAX_SERIES) };
};

const MAX_SPANS = 120;

/** Of a long trace the spans that failed and those that worked longest themselves, in the order of the trace. */
export const shapeTrace: Shape = (answer) => {
  const trace = recordOf(without('critical', 'links', 'events')(answer));
  const spans = listOf(trace.spans).map(recordOf);
  const weightOf = (span: Record<string, unknown>): number =>
    (span.status === 'error' ? Number.MAX_SAFE_INTEGER : 0) +
    (span.parent === '' ? Number.MAX_SAFE_INTEGER : Number(span.own_ns));
  const kept = new Set([...spans].sort((a, b) => weightOf(b) - weightOf(a)).slice(0, MAX_SPANS));
  return { ...trace, spans: spans.filter((span) => kept.has(span)), spans_left_out: spans.length - kept.size };
};

/** A list that is paged by rows as one that is paged by a cursor. */
export const shapeOffsetPage =
  (offset: number): Shape =>
  (answer) => {
    const page = recordOf(answer);
    const end = offset + listOf(page.items).length;
    const hasMore = end < Number(page.matched ?? 0) && end > offset;
    return { ...page, next_cursor: hasMore ? String(end) : null };
  };
