import type { TraceSpan } from '../../../api-types.ts';

export type WaterfallView = 'all' | 'critical' | 'errors';

/** The shape of a trace as the server lists it: parents before their children. */
export interface Shape {
  /** Of each span the place behind its last descendant. */
  end: Int32Array;
  /** Of each span the place of its parent, -1 for a root. */
  parent: Int32Array;
  /** Stretches of each span in which none of its children ran: from, to, from, to (nanoseconds). */
  own: number[][];
}

type Shaped = Pick<TraceSpan, 'depth' | 'start_ns' | 'duration_ns'>;

export function shapeOf(spans: readonly Shaped[]): Shape {
  const end = new Int32Array(spans.length).fill(spans.length);
  const parent = new Int32Array(spans.length).fill(-1);
  const own: number[][] = spans.map(() => []);
  const reached = spans.map(({ start_ns: start }) => start);
  const open: number[] = [];
  const close = (index: number, at: number): void => {
    end[index] = at;
    const span = spans[index] as Shaped;
    const stop = span.start_ns + span.duration_ns;
    const from = reached[index] as number;
    if (from < stop || span.duration_ns === 0) own[index]?.push(from, stop);
  };
  spans.forEach((span, index) => {
    while (open.length > span.depth) close(open.pop() as number, index);
    const above = open.at(-1);
    if (above !== undefined) {
      parent[index] = above;
      const { start_ns: start, duration_ns: duration } = spans[above] as Shaped;
      const from = reached[above] as number;
      if (span.start_ns > from && from < start + duration) own[above]?.push(from, Math.min(span.start_ns, start + duration));
      reached[above] = Math.max(from, span.start_ns + span.duration_ns);
    }
    open.push(index);
  });
  while (open.length > 0) close(open.pop() as number, spans.length);
  return { end, parent, own };
}

type Viewed = Pick<TraceSpan, 'critical' | 'status'>;

/** The places of the spans to be drawn, in order. Errors bring their ancestors along: alone they would say nothing. */
export function visibleRows(
  spans: readonly Viewed[],
  shape: Pick<Shape, 'end' | 'parent'>,
  { view, folded }: { view: WaterfallView; folded: ReadonlySet<number> },
): number[] {
  const wanted = view === 'errors' ? withAncestors(spans, shape.parent) : undefined;
  const rows: number[] = [];
  for (let index = 0; index < spans.length; ) {
    const span = spans[index] as Viewed;
    const shown = view === 'all' || (view === 'critical' ? span.critical.length > 0 : wanted?.has(index));
    if (shown) rows.push(index);
    index = folded.has(index) ? (shape.end[index] as number) : index + 1;
  }
  return rows;
}

function withAncestors(spans: readonly Viewed[], parent: Int32Array): Set<number> {
  const wanted = new Set<number>();
  for (const [index, { status }] of spans.entries()) {
    if (status !== 'error') continue;
    for (let at = index; at >= 0 && !wanted.has(at); at = parent[at] as number) wanted.add(at);
  }
  return wanted;
}

/** Three to five round marks from 0 to before the end. */
export function axisTicks(totalNs: number): number[] {
  if (totalNs <= 0) return [0];
  const raw = totalNs / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
  const ticks: number[] = [];
  for (let at = 0; at < totalNs * 0.98; at += step) ticks.push(at);
  return ticks;
}

/** The rows within a window of pixels, a few more on both sides so that scrolling shows no holes. */
export function rowWindow(
  { top, height, row }: { top: number; height: number; row: number },
  count: number,
): [from: number, to: number] {
  const spare = 12;
  const from = Math.max(0, Math.floor(top / row) - spare);
  return [from, Math.min(count, Math.ceil((top + height) / row) + spare)];
}
