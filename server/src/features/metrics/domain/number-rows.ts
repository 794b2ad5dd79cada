import type { GroupRow } from './plan-range.ts';

/** Points of one series in order of time, each once. */
export interface SeriesColumns {
  /** Unix milliseconds. */
  at: ArrayLike<number>;
  value: ArrayLike<number>;
}

/** What is to become of series, as RangeInput and the kind of the metric have it. */
export interface NumberQuestion {
  fromMs: number;
  toMs: number;
  stepMs: number;
  /** How long a point stands for what follows it. */
  aliveMs: number;
  function: 'raw' | 'avg' | 'min' | 'max' | 'rate' | 'increase';
  aggregate: 'none' | 'sum' | 'avg' | 'min' | 'max' | 'count';
  delta: boolean;
}

/** One series in one step. */
interface Step {
  /** Its beginning. */
  t: number;
  points: number;
  newest: number;
  total: number;
  least: number;
  most: number;
}

/** Values of one group by step. */
interface Cell {
  n: Uint32Array;
  x: Float64Array;
}

/** Values by group and step, put together as they come. */
export class NumberCells {
  private readonly question: NumberQuestion;
  private readonly steps: number;
  /** Whether a value is what a counter grew: the most frequent question by far, and of the most points. */
  private readonly growth: boolean;
  private readonly cells = new Map<number, Cell>();
  /** The step that is read: one for all, since objects for each took longer than all the rest. */
  private readonly step: Step = { t: 0, points: 0, newest: 0, total: 0, least: 0, most: 0 };
  /** What it shows, and in which steps. */
  private readonly shown = { from: 0, to: 0, x: 0 };

  constructor(question: NumberQuestion) {
    this.question = question;
    this.growth = (question.function === 'rate' || question.function === 'increase') && !question.delta;
    this.steps = Math.ceil((question.toMs - question.fromMs) / question.stepMs);
  }

  /** One more series of the group. */
  add(group: number, series: SeriesColumns): void {
    const { stepMs } = this.question;
    const { at } = series;
    const cell = this.cellOf(group);
    if (this.growth) {
      this.addGrowth(cell, series);
      return;
    }
    for (let i = 0; i < at.length; ) {
      i = this.readStep(series, i);
      // The next step that the series has a point in.
      const next = i < at.length ? Math.floor((at[i] as number) / stepMs) * stepMs : Number.POSITIVE_INFINITY;
      this.addStep(cell, next);
    }
  }

  private cellOf(group: number): Cell {
    const known = this.cells.get(group);
    if (known) return known;
    const cell = { n: new Uint32Array(this.steps), x: new Float64Array(this.steps) };
    this.cells.set(group, cell);
    return cell;
  }

  /** What a counter grew in each step that it has points in, from the last point before it; one that fell has begun anew. */
  private addGrowth(cell: Cell, { at, value }: SeriesColumns): void {
    const { fromMs, stepMs, aliveMs, function: fn } = this.question;
    const { shown } = this;
    /** The end of the step before. */
    let end = Number.POSITIVE_INFINITY;
    for (let i = 0; i < at.length; ) {
      const begin = Math.floor(((at[i] as number) - fromMs) / stepMs) * stepMs + fromMs;
      const since = at[Math.max(0, i - 1)] as number;
      let grown = 0;
      for (; i < at.length && (at[i] as number) < begin + stepMs; i++) {
        const now = value[i] as number;
        const last = i === 0 ? now : (value[i - 1] as number);
        grown += now < last ? now : now - last;
      }
      const covered = (at[i - 1] as number) - since;
      // Steps without a point in between grew alike, as long as a series is alive.
      shown.from = fn === 'rate' && begin - since <= aliveMs ? Math.min(begin, end) : begin;
      end = shown.to = begin + stepMs;
      shown.x = fn === 'rate' ? (grown / covered) * 1000 : grown;
      // One point alone does not tell what a counter grew.
      if (covered > 0) this.put(cell);
    }
  }

  /** Reads the step that begins with this point; gives the place of the point after it. */
  private readStep({ at, value }: SeriesColumns, begin: number): number {
    const { stepMs } = this.question;
    const { step } = this;
    const t = Math.floor((at[begin] as number) / stepMs) * stepMs;
    let i = begin;
    step.t = t;
    step.points = step.total = 0;
    step.least = Number.POSITIVE_INFINITY;
    step.most = Number.NEGATIVE_INFINITY;
    for (; i < at.length && (at[i] as number) < t + stepMs; i++) {
      const now = value[i] as number;
      step.points++;
      step.newest = now;
      step.total += now;
      step.least = Math.min(step.least, now);
      step.most = Math.max(step.most, now);
    }
    return i;
  }

  /** `next` is the next step that the series has a point in. */
  private addStep(cell: Cell, next: number): void {
    const { function: fn, stepMs, aliveMs } = this.question;
    const { step, shown } = this;
    const { t, total } = step;
    shown.from = t;
    shown.to = t + stepMs;
    // Of deltas alone: what a counter grew is told from point to point.
    if (fn === 'increase') shown.x = total;
    else if (fn === 'rate') shown.x = (total / stepMs) * 1000;
    else {
      shown.to = Math.min(next, t + aliveMs);
      shown.x = this.stateOf(step);
    }
    this.put(cell);
  }

  private stateOf(step: Step): number {
    const fn = this.question.function;
    if (fn === 'raw') return step.newest;
    if (fn === 'avg') return step.total / step.points;
    return fn === 'min' ? step.least : step.most;
  }

  private put(cell: Cell): void {
    const { from, to, x } = this.shown;
    const { fromMs, toMs, stepMs, aggregate } = this.question;
    const extreme = aggregate === 'min' || aggregate === 'max' ? aggregate : undefined;
    const end = Math.min(to, toMs);
    for (let at = Math.max(from, fromMs); at < end; at += stepMs) {
      const place = (at - fromMs) / stepMs;
      const before = cell.x[place] as number;
      if (cell.n[place] === 0) cell.x[place] = x;
      else if (extreme === undefined) cell.x[place] = before + x;
      else cell.x[place] = extreme === 'min' ? Math.min(before, x) : Math.max(before, x);
      cell.n[place] = (cell.n[place] as number) + 1;
    }
  }

  rows(): GroupRow[] {
    const { fromMs, stepMs, aggregate } = this.question;
    return [...this.cells].flatMap(([g, { n, x }]) => {
      const row: GroupRow = { g, ts: [], values: [] };
      for (let i = 0; i < n.length; i++) {
        const [count, sum] = [n[i] as number, x[i] as number];
        const value = aggregate === 'count' ? count : aggregate === 'avg' ? sum / count : sum;
        if (count === 0 || !Number.isFinite(value)) continue;
        row.ts.push(fromMs + i * stepMs);
        row.values.push(value);
      }
      return row.ts.length > 0 ? [row] : [];
    });
  }
}
