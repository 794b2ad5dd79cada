/** One series as the server gives it: parallel arrays, times in milliseconds, a missing bucket is a gap. */
export interface RawSeries {
  ts: readonly number[];
  avg: readonly number[];
  min: readonly number[];
  max: readonly number[];
}

export interface Gap {
  from: number;
  to: number;
}

/** Silence longer than this many usual steps is a gap. */
const GAP_STEPS = 2.5;

/** The usual distance of two points, at least the bucket's own length. */
export function usualStep(ts: readonly number[], stepMs: number): number {
  if (ts.length < 3) return stepMs;
  const distances = ts.slice(1).map((at, index) => at - (ts[index] ?? at));
  distances.sort((a, b) => a - b);
  return Math.max(stepMs, distances[Math.floor(distances.length / 2)] ?? stepMs);
}

/** Stretches of the window without a point, its edges included. */
export function findGaps(ts: readonly number[], { from, to, stepMs }: Gap & { stepMs: number }): Gap[] {
  const step = usualStep(ts, stepMs);
  const gaps: Gap[] = [];
  let last: number | undefined;
  for (const at of ts) {
    const before = last ?? from;
    if (at - before > step * GAP_STEPS) gaps.push({ from: last === undefined ? from : before + step / 2, to: at });
    last = at;
  }
  const end = last ?? from;
  if (to - end > step * GAP_STEPS) gaps.push({ from: last === undefined ? from : end + step / 2, to });
  return gaps;
}

export interface Point {
  at: number;
  /** null breaks the line. */
  value: number | null;
}

/**
 * The line to draw: where buckets hold more than one reading their least and most are kept, in the order that follows the line,
 * so that thinning hides no peak; a gap becomes a break, never a line across.
 */
export function tracePoints(series: RawSeries, stepMs: number, rawStepMs: number): Point[] {
  const points: Point[] = [];
  const step = usualStep(series.ts, stepMs);
  let last: number | undefined;
  series.ts.forEach((at, index) => {
    if (last !== undefined && at - last > step * GAP_STEPS) points.push({ at: last + step / 2, value: null });
    const avg = series.avg[index] ?? 0;
    const min = series.min[index] ?? avg;
    const max = series.max[index] ?? avg;
    if (stepMs <= rawStepMs || max === min) points.push({ at, value: avg });
    else {
      const before = points.at(-1)?.value ?? avg;
      const [first, second] = Math.abs(before - min) <= Math.abs(before - max) ? [min, max] : [max, min];
      points.push({ at, value: first }, { at: at + stepMs / 2, value: second });
    }
    last = at;
  });
  return points;
}

/** Several traces over one axis: `undefined` where a trace has no point of its own, `null` where it breaks. */
export function alignTraces(traces: readonly (readonly Point[])[]): { at: number[]; values: (number | null | undefined)[][] } {
  const at = [...new Set(traces.flatMap((trace) => trace.map((point) => point.at)))].sort((a, b) => a - b);
  const place = new Map(at.map((time, index) => [time, index]));
  const values = traces.map((trace) => {
    const column = new Array<number | null | undefined>(at.length).fill(undefined);
    for (const point of trace) column[place.get(point.at) ?? 0] = point.value;
    return column;
  });
  return { at, values };
}

/** Place of the point nearest to a time; -1 without points or when the nearest is further than `withinMs`. */
export function nearestIndex(ts: readonly number[], time: number, withinMs: number): number {
  let low = 0;
  let high = ts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ts[middle] ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  const after = ts[low];
  const before = ts[low - 1];
  const index = before !== undefined && (after === undefined || time - before <= after - time) ? low - 1 : low;
  const found = ts[index];
  return found !== undefined && Math.abs(found - time) <= withinMs ? index : -1;
}
