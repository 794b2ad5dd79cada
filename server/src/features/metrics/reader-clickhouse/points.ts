import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { TenantId } from '#kernel';
import type { AnswerBlock } from '#telemetry';
import { NumberCells, type NumberQuestion } from '../domain/number-rows.ts';
import { orderPoints } from '../domain/order-points.ts';
import type { GroupRow } from '../domain/plan-range.ts';
import { type PointBlock, PointRows, roomForPoints } from '../domain/point-rows.ts';
import { isDelta, LOOK_BACK_MS } from '../plan.ts';
import type { Plan, RangeFrame } from '../reader.ts';
import { type MetricStore, ofSeries, patternFault } from './ask.ts';
import { inSpans } from './segments-sql.ts';

const POINTS_AT_ONCE = 250_000;
/** How long the work on points may hold the event loop before others get their turn. */
const TURN_MS = 5;

/**
 * As they lie, part by part in the order of the table: to put them together by series costs the store half as much again. All columns are narrow and
 * wanted of nearly all rows that are read: to look at times first would read twice.
 */
const POINTS = (where: string, limit: number): string =>
  `SELECT fp, toFloat64(toUnixTimestamp64Milli(ts)) AS at, value FROM metric_points WHERE ${where} LIMIT ${limit}
  SETTINGS optimize_move_to_prewhere = 0`;

function toPoints({ columns }: AnswerBlock): PointBlock {
  const [fingerprint, at, value] = columns;
  return { fingerprint: fingerprint as BigUint64Array, at: at as Float64Array, value: value as Float64Array };
}

/** Points of all series that answer to a question, whatever their kind; undefined where there are too many to be worked on here. */
export async function readPoints(
  { store, pointsAtOnce = POINTS_AT_ONCE }: MetricStore,
  tenant: TenantId,
  { metric, matchers, window, readFromMs }: RangeFrame,
): Promise<PointRows | undefined> {
  const asked = { fromMs: readFromMs, toMs: window.toMs };
  const spans = inSpans([asked]);
  const series = ofSeries({ metric, matchers, window: asked });
  const matching = matchers.length > 0 ? ` AND fp IN (SELECT fp FROM metric_series WHERE ${series.where})` : '';
  const sql = POINTS(`tenant_id = {tenant:String} AND metric = {metric:String} AND ${spans.where}${matching}`, pointsAtOnce + 1);
  const params = { ...series.params, ...spans.params };
  const blocks = await store.readColumns(tenant, sql, params, { maxRows: pointsAtOnce + 1 }).catch(patternFault);
  const found = new PointRows(blocks.map(toPoints));
  return found.count > pointsAtOnce ? undefined : found;
}

/**
 * Numbers of a range out of its points, read as they are: growth from point to point, and values by group and step, cost the store twice what
 * it takes to read them.
 */
export async function numbersOfPoints(
  { kind, window, input, fingerprints, grouped }: Plan,
  found: PointRows,
): Promise<GroupRow[]> {
  const cells = new NumberCells({
    ...window,
    aliveMs: Math.max(window.stepMs, LOOK_BACK_MS),
    function: input.function as NumberQuestion['function'],
    aggregate: input.aggregate,
    delta: isDelta(kind),
  });
  const spare = roomForPoints(found.longest);
  let turn = performance.now() + TURN_MS;
  // In order of the series, so that sums are rounded alike each time.
  for (const [place, fp] of fingerprints.entries()) {
    const points = found.of(fp);
    if (points) cells.add(grouped.groupOf[place] ?? 0, orderPoints(points, spare));
    if (performance.now() < turn) continue;
    await yieldToOthers();
    turn = performance.now() + TURN_MS;
  }
  return cells.rows();
}
