import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { TenantId } from '#kernel';
import { NumberCells, type NumberQuestion } from '../domain/number-rows.ts';
import { orderPoints } from '../domain/order-points.ts';
import type { GroupRow } from '../domain/plan-range.ts';
import { isDelta, LOOK_BACK_MS } from '../plan.ts';
import type { Plan, RangeFrame } from '../reader.ts';
import { type MetricStore, ofSeries, patternFault } from './ask.ts';
import { inSpans } from './segments-sql.ts';

const POINTS_AT_ONCE = 250_000;
/** How long the work on points may hold the event loop before others get their turn. */
const TURN_MS = 5;

/**
 * By series, in no order within one: to bring them into it costs the store half as much again. One thread reads parts one after the other, and
 * so mostly in order of time; the other is at the series meanwhile.
 */
const POINTS = (where: string, limit: number): string => `SELECT fp, groupArray(at), groupArray(value) FROM (
    SELECT fp, toFloat64(toUnixTimestamp64Milli(ts)) AS at, value FROM metric_points WHERE ${where} LIMIT ${limit})
  GROUP BY fp SETTINGS max_threads = 1`;

/** Points of a series as the store gave them: Unix milliseconds, and values. */
interface SeriesPoints {
  fp: bigint;
  at: Float64Array;
  value: Float64Array;
}

/** RowBinary of `POINTS`: eight bytes, and two lists of as many each with their length before them. */
function decodeSeries(bytes: Buffer): SeriesPoints[] {
  const series: SeriesPoints[] = [];
  // One piece of memory for all, where each list begins at a multiple of eight.
  const all = new Float64Array(Math.floor(bytes.length / 8));
  const room = new Uint8Array(all.buffer);
  let filled = 0;
  let at = 0;
  const readLength = (): number => {
    for (let value = 0, shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  const readNumbers = (): Float64Array => {
    const numbers = all.subarray(filled, filled + readLength());
    room.set(bytes.subarray(at, at + numbers.byteLength), numbers.byteOffset);
    at += numbers.byteLength;
    filled += numbers.length;
    return numbers;
  };
  while (at < bytes.length) {
    const fp = bytes.readBigUInt64LE(at);
    at += 8;
    series.push({ fp, at: readNumbers(), value: readNumbers() });
  }
  return series;
}

/** Points of all series that answer to a question, whatever their kind; undefined where there are too many to be worked on here. */
export async function readPoints(
  { store, readers, pointsAtOnce = POINTS_AT_ONCE }: MetricStore,
  tenant: TenantId,
  { metric, matchers, window, readFromMs }: RangeFrame,
): Promise<SeriesPoints[] | undefined> {
  const asked = { fromMs: readFromMs, toMs: window.toMs };
  const spans = inSpans([asked]);
  const series = ofSeries({ metric, matchers, window: asked });
  const matching = matchers.length > 0 ? ` AND fp IN (SELECT fp FROM metric_series WHERE ${series.where})` : '';
  const sql = POINTS(`tenant_id = {tenant:String} AND metric = {metric:String} AND ${spans.where}${matching}`, pointsAtOnce + 1);
  const params = { ...series.params, ...spans.params };
  const bytes = await readers
    .use(tenant, () => store.readBinary(tenant, sql, params, { maxRows: pointsAtOnce + 1 }))
    .catch(patternFault);
  const found = decodeSeries(bytes);
  return found.reduce((sum, { at }) => sum + at.length, 0) > pointsAtOnce ? undefined : found;
}

/**
 * Numbers of a range out of its points, read as they are: growth from point to point, and values by group and step, cost the store twice what
 * it takes to read them.
 */
export async function numbersOfPoints(
  { kind, window, input, fingerprints, grouped }: Plan,
  found: readonly SeriesPoints[],
): Promise<GroupRow[]> {
  const cells = new NumberCells({
    ...window,
    aliveMs: Math.max(window.stepMs, LOOK_BACK_MS),
    function: input.function as NumberQuestion['function'],
    aggregate: input.aggregate,
    delta: isDelta(kind),
    histogram: false,
  });
  const pointsOf = new Map(found.map((series) => [series.fp, series]));
  let turn = performance.now() + TURN_MS;
  // In order of the series, so that sums are rounded alike each time.
  for (const [place, fp] of fingerprints.entries()) {
    const points = pointsOf.get(fp);
    if (points) cells.add(grouped.groupOf[place] ?? 0, orderPoints(points));
    if (performance.now() < turn) continue;
    await yieldToOthers();
    turn = performance.now() + TURN_MS;
  }
  return cells.rows();
}
