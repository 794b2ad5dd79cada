import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { TenantId } from '#kernel';
import type { BlockColumns, MemoryTables, Numbers, Wides } from '#telemetry';
import {
  type Buckets,
  ClassicCounts,
  ExponentialCounts,
  type HistogramPoint,
  SummaryValues,
} from '../domain/histogram-counts.ts';
import { NumberCells, type NumberQuestion } from '../domain/number-rows.ts';
import type { GroupRow } from '../domain/plan-range.ts';
import { classicRows, collect, exponentialRows } from '../domain/quantile-rows.ts';
import { isDelta, isHistogram, LOOK_BACK_MS } from '../plan.ts';
import type { Plan } from '../reader.ts';
import { inOrder, type PointsQuestion, scanPoints } from './points.ts';

/** How long the work on points may hold the event loop before others get their turn. */
const TURN_MS = 5;

interface Point {
  at: number;
  value: number;
  count: number;
}

/** Each series that has points, with its group, in order of the plan; others run in between. */
async function eachSeries<P extends { at: number }>(
  { grouped }: Plan,
  points: readonly (readonly P[] | undefined)[],
  work: (group: number, points: P[]) => void,
): Promise<void> {
  let turn = performance.now() + TURN_MS;
  for (const [series, own] of points.entries()) {
    if (own) work(grouped.groupOf[series] ?? 0, inOrder(own));
    if (performance.now() < turn) continue;
    await yieldToOthers();
    turn = performance.now() + TURN_MS;
  }
}

const questionOf = ({ kind, metric, fingerprints, readFromMs, window }: Plan): PointsQuestion => ({
  table: isHistogram(kind) ? 'metric_histograms' : 'metric_points',
  metric,
  fingerprints,
  window: { fromMs: readFromMs, toMs: window.toMs },
});

/** As the column store's: from points alone, as far back as memory reaches. */
export async function numberRows(tables: MemoryTables, tenant: TenantId, plan: Plan): Promise<GroupRow[]> {
  const { kind, window, input } = plan;
  const histogram = isHistogram(kind);
  const points: Point[][] = [];
  await scanPoints(tables, { tenant, ...questionOf(plan) }, ({ columns, row, series, at }) => {
    const value = (columns.numbers(histogram ? 'sum' : 'value')[row] as number) || 0;
    points[series] ??= [];
    points[series].push({ at, value, count: histogram ? Number(columns.wides('count')[row]) : 0 });
  });
  const cells = new NumberCells({
    ...window,
    aliveMs: Math.max(window.stepMs, LOOK_BACK_MS),
    function: input.function as NumberQuestion['function'],
    aggregate: input.aggregate,
    delta: isDelta(kind),
    histogram,
  });
  await eachSeries(plan, points, (group, own) =>
    cells.add(group, {
      at: own.map(({ at }) => at),
      value: own.map(({ value }) => value),
      ...(histogram && { count: own.map(({ count }) => count) }),
    }),
  );
  return cells.rows();
}

const NOTHING: readonly number[] = [];

function listAt(columns: BlockColumns, name: string, row: number): ArrayLike<number> {
  const { ranges, items } = columns.lists<Numbers | Wides>(name);
  const [from, to] = [ranges.from(row), ranges.to(row)];
  if (from === to) return NOTHING;
  const part = items.subarray(from, to);
  return part instanceof BigUint64Array || part instanceof BigInt64Array ? Float64Array.from(part, Number) : part;
}

function histogramAt(columns: BlockColumns, row: number): Omit<HistogramPoint, 'at'> {
  const number = (name: string): number => columns.numbers(name)[row] as number;
  const wide = (name: string): number => Number(columns.wides(name)[row]);
  const buckets = (side: string): Buckets => ({
    offset: number(`${side}_offset`),
    counts: listAt(columns, `${side}_counts`, row),
  });
  return {
    count: wide('count'),
    bounds: listAt(columns, 'bounds', row),
    counts: listAt(columns, 'counts', row),
    quantileValues: listAt(columns, 'quantile_values', row),
    scale: number('scale'),
    zeroCount: wide('zero_count'),
    zeroThreshold: number('zero_threshold'),
    positive: buckets('positive'),
    negative: buckets('negative'),
  };
}

/** One quantile of each group and step, over all that its histograms counted in the step. */
export async function quantileRows(tables: MemoryTables, tenant: TenantId, plan: Plan): Promise<GroupRow[]> {
  const { kind, window, input } = plan;
  const points: HistogramPoint[][] = [];
  let coarsest = Number.POSITIVE_INFINITY;
  await scanPoints(tables, { tenant, ...questionOf(plan) }, ({ columns, row, series, at }) => {
    const point = { at, ...histogramAt(columns, row) };
    coarsest = Math.min(coarsest, point.scale);
    points[series] ??= [];
    points[series].push(point);
  });
  const question = { ...window, delta: isDelta(kind) };
  const phi = input.quantile;
  if (kind === 'summary') {
    const values = new SummaryValues({ ...question, phi, aggregate: input.aggregate });
    await eachSeries(plan, points, (group, own) => values.add(group, own));
    return collect(values.rows());
  }
  const exponential = kind.endsWith('exp_histogram');
  const counts = exponential ? new ExponentialCounts(question, coarsest) : new ClassicCounts(question);
  await eachSeries(plan, points, (group, own) => counts.add(group, own));
  return counts instanceof ExponentialCounts ? exponentialRows(counts.rows(), phi) : classicRows(counts.rows(), phi);
}
