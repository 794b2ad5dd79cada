import type { ClassicBuckets, ExponentialBuckets } from './quantile.ts';

/** One point of a histogram of either kind or of a summary; lists that its kind does not have are empty. */
export interface HistogramPoint {
  /** Unix milliseconds. */
  at: number;
  count: number;
  /** Upper bounds, or the quantiles of a summary. */
  bounds: ArrayLike<number>;
  counts: ArrayLike<number>;
  quantileValues: ArrayLike<number>;
  scale: number;
  zeroCount: number;
  zeroThreshold: number;
  positive: Buckets;
  negative: Buckets;
}

export interface Buckets {
  offset: number;
  counts: ArrayLike<number>;
}

export interface CountQuestion {
  fromMs: number;
  stepMs: number;
  delta: boolean;
}

type Cell = { g: number; t: number };

const inOrder = <Row extends Cell>(rows: Iterable<Row>): Row[] => [...rows].sort((a, b) => a.g - b.g || a.t - b.t);

const alike = (a: ArrayLike<number>, b: ArrayLike<number>): boolean => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

/** Points that tell what was counted, with the one to take away; none where a histogram began anew. */
function* grownPoints(
  points: readonly HistogramPoint[],
  { fromMs, stepMs, delta }: CountQuestion,
): Generator<{ t: number; now: HistogramPoint; before: HistogramPoint | undefined }> {
  for (const [i, now] of points.entries()) {
    const before = points[i - 1];
    if (now.at < fromMs || (!delta && before === undefined)) continue;
    const fresh = delta || (before !== undefined && now.count < before.count);
    yield { t: Math.floor(now.at / stepMs) * stepMs, now, before: fresh ? undefined : before };
  }
}

/** What classic histograms counted in each bucket, by group, step and bounds. */
export class ClassicCounts {
  private readonly question: CountQuestion;
  private readonly cells = new Map<string, Cell & { bounds: readonly number[]; counts: number[] }>();

  constructor(question: CountQuestion) {
    this.question = question;
  }

  /** One more series, its points in order of time; other bounds than before are a new beginning. */
  add(g: number, points: readonly HistogramPoint[]): void {
    for (const { t, now, before } of grownPoints(points, this.question)) {
      const { bounds, counts } = now;
      if (counts.length === 0) continue;
      const since = before && alike(bounds, before.bounds) && counts.length === before.counts.length ? before.counts : undefined;
      const key = `${g} ${t} ${Array.from(bounds).join()}`;
      const cell = this.cells.get(key) ?? { g, t, bounds: Array.from(bounds), counts: [] };
      this.cells.set(key, cell);
      for (let i = 0; i < counts.length; i++) cell.counts[i] = (cell.counts[i] ?? 0) + (counts[i] as number) - (since?.[i] ?? 0);
    }
  }

  rows = (): (Cell & ClassicBuckets)[] => inOrder(this.cells.values());
}

interface ExponentialCell extends Cell, ExponentialBuckets {
  positive: Map<number, number>;
  negative: Map<number, number>;
}

/** What exponential histograms counted, by group and step, at the coarsest scale of all. */
export class ExponentialCounts {
  private readonly question: CountQuestion;
  private readonly scale: number;
  private readonly cells = new Map<string, ExponentialCell>();

  /** `scale`: no point that will be added has a smaller one. */
  constructor(question: CountQuestion, scale: number) {
    this.question = question;
    this.scale = scale;
  }

  add(g: number, points: readonly HistogramPoint[]): void {
    const { scale } = this;
    for (const { t, now, before } of grownPoints(points, this.question)) {
      const key = `${g} ${t}`;
      const empty = { g, t, scale, zeroCount: 0, zeroThreshold: 0, positive: new Map(), negative: new Map() };
      const cell: ExponentialCell = this.cells.get(key) ?? empty;
      this.cells.set(key, cell);
      cell.zeroCount += now.zeroCount - (before?.zeroCount ?? 0);
      cell.zeroThreshold = Math.max(cell.zeroThreshold, now.zeroThreshold);
      for (const side of ['positive', 'negative'] as const) {
        this.addBuckets(cell[side], now[side], { scale: now.scale, sign: 1 });
        if (before) this.addBuckets(cell[side], before[side], { scale: before.scale, sign: -1 });
      }
    }
  }

  /** Halving the scale joins neighbours. */
  private addBuckets(into: Map<number, number>, { offset, counts }: Buckets, { scale, sign }: { scale: number; sign: 1 | -1 }) {
    const joined = 2 ** Math.min(scale - this.scale, 62);
    for (let i = 0; i < counts.length; i++) {
      const index = Math.floor((offset + i) / joined);
      into.set(index, (into.get(index) ?? 0) + sign * (counts[i] as number));
    }
  }

  rows = (): (Cell & ExponentialBuckets)[] => inOrder(this.cells.values());
}

/** The value that summaries were sent with for exactly this quantile, the newest of each series and step, put together by group. */
export class SummaryValues {
  private readonly question: CountQuestion & { phi: number; aggregate: string };
  private readonly cells = new Map<string, Cell & { n: number; value: number }>();

  constructor(question: CountQuestion & { phi: number; aggregate: string }) {
    this.question = question;
  }

  add(g: number, points: readonly HistogramPoint[]): void {
    const { fromMs, stepMs, phi } = this.question;
    const newest = new Map<number, number>();
    for (const { at, bounds, quantileValues } of points) {
      const place = Array.from(bounds).findIndex((quantile) => Math.abs(quantile - phi) < 1e-9);
      const value = quantileValues[place];
      if (at >= fromMs && value !== undefined) newest.set(Math.floor(at / stepMs) * stepMs, value);
    }
    for (const [t, value] of newest) this.put({ g, t, n: 1, value });
  }

  private put(given: Cell & { n: number; value: number }): void {
    const { aggregate } = this.question;
    const key = `${given.g} ${given.t}`;
    const cell = this.cells.get(key);
    if (cell === undefined) {
      this.cells.set(key, given);
      return;
    }
    cell.n++;
    if (aggregate === 'min') cell.value = Math.min(cell.value, given.value);
    else if (aggregate === 'max') cell.value = Math.max(cell.value, given.value);
    else cell.value += given.value;
  }

  rows = (): (Cell & { value: number })[] =>
    inOrder(this.cells.values()).map(({ g, t, n, value }) => ({
      ...{ g, t },
      value: this.question.aggregate === 'avg' ? value / n : value,
    }));
}
