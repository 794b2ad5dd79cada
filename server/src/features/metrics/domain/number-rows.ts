import type { GroupRow } from './plan-range.ts';

/** Points of one series in order of time, each once. Of histograms and summaries `value` is the sum of what was observed. */
export interface SeriesColumns {
  /** Unix milliseconds. */
  at: readonly number[];
  value: readonly number[];
  /** Of histograms and summaries: how many were observed. */
  count?: readonly number[];
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
  histogram: boolean;
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
  countTotal: number;
  /** What it grew since the point before the first of the step; a counter that fell has begun anew. */
  grown: number;
  countGrown: number;
  /** When that growth began, and how long it took. */
  since: number;
  covered: number;
}

function* stepsOf({ at, value, count }: SeriesColumns, stepMs: number): Generator<Step> {
  for (let i = 0; i < at.length; ) {
    const t = Math.floor((at[i] as number) / stepMs) * stepMs;
    const since = at[Math.max(0, i - 1)] as number;
    const step: Step = {
      ...{ t, points: 0, newest: 0, total: 0, least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY },
      ...{ countTotal: 0, grown: 0, countGrown: 0, since, covered: 0 },
    };
    for (; i < at.length && (at[i] as number) < t + stepMs; i++) {
      const [now, counted] = [value[i] as number, count?.[i] ?? 0];
      step.points++;
      step.newest = now;
      step.total += now;
      step.countTotal += counted;
      step.least = Math.min(step.least, now);
      step.most = Math.max(step.most, now);
      step.covered = (at[i] as number) - since;
      if (i === 0) continue;
      const [before, countedBefore] = [value[i - 1] as number, count?.[i - 1] ?? 0];
      const fell = count ? counted < countedBefore : now < before;
      step.grown += fell ? now : now - before;
      step.countGrown += counted < countedBefore ? counted : counted - countedBefore;
    }
    yield step;
  }
}

/** Values by group and step, put together as they come. */
export class NumberCells {
  private readonly question: NumberQuestion;
  private readonly steps: number;
  /** Whether a value is a sum by another sum. */
  private readonly ratio: boolean;
  private readonly cells = new Map<number, { n: Uint32Array; x: Float64Array; over: Float64Array }>();

  constructor(question: NumberQuestion) {
    this.question = question;
    this.ratio = question.function === 'avg' && question.histogram;
    this.steps = Math.ceil((question.toMs - question.fromMs) / question.stepMs);
  }

  /** One more series of the group. */
  add(group: number, series: SeriesColumns): void {
    const { stepMs } = this.question;
    let last: Step | undefined;
    for (const step of stepsOf(series, stepMs)) {
      if (last) this.addStep(group, last, step.t);
      last = step;
    }
    if (last) this.addStep(group, last, Number.POSITIVE_INFINITY);
  }

  /** `next` is the next step that the series has a point in. */
  private addStep(group: number, step: Step, next: number): void {
    const { function: fn, delta, histogram, stepMs, aliveMs } = this.question;
    const { t, since, covered } = step;
    const [grown, total] = histogram ? [step.countGrown, step.countTotal] : [step.grown, step.total];
    const alone = { from: t, to: t + stepMs };
    // What histograms observed, over all of a group: averages of averages would say something else.
    if (this.ratio) {
      if (delta) this.put(group, alone, { x: step.total, over: step.countTotal });
      else if (covered > 0) this.put(group, alone, { x: step.grown, over: step.countGrown });
    } else if (fn === 'increase') {
      if (delta || covered > 0) this.put(group, alone, { x: delta ? total : grown });
    } else if (fn === 'rate' && delta) this.put(group, alone, { x: (total / stepMs) * 1000 });
    else if (fn === 'rate') {
      const from = t - since > aliveMs ? t : Math.min(t, Math.floor(since / stepMs) * stepMs + stepMs);
      // One point alone does not tell what a counter grew.
      if (covered > 0) this.put(group, { from, to: t + stepMs }, { x: (grown / covered) * 1000 });
    } else {
      const x = { raw: step.newest, avg: step.total / step.points, min: step.least, max: step.most }[fn];
      this.put(group, { from: t, to: Math.min(next, t + aliveMs) }, { x });
    }
  }

  private put(group: number, { from, to }: { from: number; to: number }, { x, over = 0 }: { x: number; over?: number }): void {
    const { fromMs, toMs, stepMs, aggregate } = this.question;
    for (let at = Math.max(from, fromMs); at < to && at < toMs; at += stepMs) {
      const cell = this.cells.get(group) ?? {
        n: new Uint32Array(this.steps),
        x: new Float64Array(this.steps),
        over: new Float64Array(this.steps),
      };
      this.cells.set(group, cell);
      const place = (at - fromMs) / stepMs;
      const before = cell.x[place] as number;
      if (cell.n[place] === 0) cell.x[place] = x;
      else if (!this.ratio && aggregate === 'min') cell.x[place] = Math.min(before, x);
      else if (!this.ratio && aggregate === 'max') cell.x[place] = Math.max(before, x);
      else cell.x[place] = before + x;
      cell.over[place] = (cell.over[place] as number) + over;
      cell.n[place] = (cell.n[place] as number) + 1;
    }
  }

  rows(): GroupRow[] {
    const { fromMs, stepMs, aggregate } = this.question;
    return [...this.cells].flatMap(([g, { n, x, over }]) => {
      const row: GroupRow = { g, ts: [], values: [] };
      for (let i = 0; i < n.length; i++) {
        const [count, sum] = [n[i] as number, x[i] as number];
        const plain = aggregate === 'count' ? count : aggregate === 'avg' ? sum / count : sum;
        const value = this.ratio ? sum / (over[i] as number) : plain;
        if (count === 0 || !Number.isFinite(value)) continue;
        row.ts.push(fromMs + i * stepMs);
        row.values.push(value);
      }
      return row.ts.length > 0 ? [row] : [];
    });
  }
}
