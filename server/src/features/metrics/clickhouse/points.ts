import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { TenantId } from '#kernel';
import { NumberCells, type NumberQuestion } from '../domain/number-rows.ts';
import type { GroupRow } from '../domain/plan-range.ts';
import { isDelta, LOOK_BACK_MS } from '../plan.ts';
import type { Plan } from '../reader.ts';
import type { MetricStore } from './ask.ts';

const POINTS_AT_ONCE = 250_000;
/** How long the work on points may hold the event loop before others get their turn. */
const TURN_MS = 5;

const POINTS = (
  where: string,
  limit: number,
): string => `SELECT fp, toFloat64(toUnixTimestamp64Milli(ts)) AS at, value FROM metric_points
  WHERE ${where} ORDER BY fp, ts LIMIT ${limit}`;
/** Words of eight bytes in a row. */
const WORDS = 3;

/** Each series of the rows: its fingerprint, and its points in order of time, each once. */
function* seriesOf(bytes: Buffer): Generator<{ fp: bigint; at: Float64Array; value: Float64Array }> {
  const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : Uint8Array.from(bytes);
  const words = bytes.length / 8;
  const [fps, numbers] = [new BigUint64Array(buffer, byteOffset, words), new Float64Array(buffer, byteOffset, words)];
  const halves = new Uint32Array(buffer, byteOffset, words * 2);
  for (let begin = 0; begin < words; ) {
    const [low, high] = [halves[2 * begin], halves[2 * begin + 1]];
    let end = begin + WORDS;
    while (end < words && halves[2 * end] === low && halves[2 * end + 1] === high) end += WORDS;
    const [at, value] = [new Float64Array((end - begin) / WORDS), new Float64Array((end - begin) / WORDS)];
    let kept = 0;
    for (let i = begin; i < end; i += WORDS) {
      const time = numbers[i + 1] as number;
      if (kept > 0 && time === at[kept - 1]) continue;
      at[kept] = time;
      value[kept++] = numbers[i + 2] as number;
    }
    yield { fp: fps[begin] as bigint, at: at.subarray(0, kept), value: value.subarray(0, kept) };
    begin = end;
  }
}

/**
 * Numbers of a range out of its points, read as they are: growth from point to point, and values by group and step, cost the store twice what
 * it takes to read them. Undefined where there are too many.
 */
export async function numbersOfPoints(
  { store, readers, pointsAtOnce = POINTS_AT_ONCE }: MetricStore,
  tenant: TenantId,
  { plan, where, params }: { plan: Plan; where: string; params: Record<string, unknown> },
): Promise<GroupRow[] | undefined> {
  const { kind, window, input, fingerprints, grouped } = plan;
  const asked = { metric: plan.metric, fingerprints, ...params };
  const limit = pointsAtOnce + 1;
  const bytes = await readers.use(tenant, () => store.readBinary(tenant, POINTS(where, limit), asked, { maxRows: limit }));
  if (bytes.length > pointsAtOnce * WORDS * 8) return undefined;
  const cells = new NumberCells({
    ...window,
    aliveMs: Math.max(window.stepMs, LOOK_BACK_MS),
    function: input.function as NumberQuestion['function'],
    aggregate: input.aggregate,
    delta: isDelta(kind),
    histogram: false,
  });
  const places = new Map(fingerprints.map((fp, place) => [fp, place]));
  let turn = performance.now() + TURN_MS;
  for (const { fp, ...points } of seriesOf(bytes)) {
    cells.add(grouped.groupOf[places.get(fp) ?? 0] ?? 0, points);
    if (performance.now() < turn) continue;
    await yieldToOthers();
    turn = performance.now() + TURN_MS;
  }
  return cells.rows();
}
