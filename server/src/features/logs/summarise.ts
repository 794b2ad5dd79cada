import type { Ctx } from '#kernel';
import type { FacetsInput, HistogramInput, LogFacets, LogHistogram } from './api.ts';
import { type LogsDeps, readerOf } from './context.ts';
import { chooseStepMs } from './domain/choose-step.ts';
import { filterSql, windowOf } from './filter.ts';

/** Of SeverityNumber: four numbers a level; none is `unspecified`. */
export const LEVELS = ['unspecified', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

const NS_PER_MS = 1_000_000n;

/** Records by level in steps of the window; steps begin at multiples of their length, so that the first and last may be cut. */
export async function countByStep(deps: LogsDeps, ctx: Ctx, { buckets, ...filter }: HistogramInput): Promise<LogHistogram> {
  const read = readerOf(deps, ctx);
  const window = windowOf(filter, deps.clock.now());
  const { where, params } = filterSql(filter, window);
  const from = Number(window.from / NS_PER_MS);
  const to = Number(window.to / NS_PER_MS);
  const step = chooseStepMs(to - from, buckets);
  const sql = `SELECT intDiv(toUnixTimestamp64Milli(ts), {step:Int64}) AS at, intDiv(severity + 3, 4) AS level, count() AS c
    FROM logs WHERE ${where} GROUP BY at, level ORDER BY at`;
  const rows = await read<{ at: number; level: number; c: number }>(sql, { ...params, step });
  const steps = new Map<number, number[]>();
  for (const { at, level, c } of rows) {
    const counts = steps.get(at) ?? new Array<number>(LEVELS.length).fill(0);
    steps.set(at, counts);
    const place = Math.min(level, LEVELS.length - 1);
    counts[place] = (counts[place] ?? 0) + c;
  }
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    step_ms: step,
    total: rows.reduce((sum, { c }) => sum + c, 0),
    steps: [...steps].map(([at, counts]) => ({ at: new Date(at * step).toISOString(), counts })),
  };
}

/** Attributes are counted over this many of the newest records that match: a scan of every map of a day would take seconds. */
const SAMPLED = 10_000;
const MAX_SERVICES = 50;
const VALUES_A_KEY = 8;
const MAX_KEYS = 40;
const VALUE_SHOWN = 200;

/** What the matching records have in common: services of all, attributes of the newest 10,000. */
export async function listFacets(deps: LogsDeps, ctx: Ctx, filter: FacetsInput): Promise<LogFacets> {
  const read = readerOf(deps, ctx);
  const { where, params } = filterSql(filter, windowOf(filter, deps.clock.now()));
  const services = `SELECT service, count() AS c FROM logs WHERE ${where} GROUP BY service ORDER BY c DESC, service
    LIMIT ${MAX_SERVICES}`;
  const attributes = `SELECT key, sum(c) AS total,
      arraySlice(arraySort(x -> -x.2, groupArray((value, c))), 1, ${VALUES_A_KEY}) AS values FROM (
    SELECT key, substringUTF8(value, 1, ${VALUE_SHOWN}) AS value, count() AS c FROM (
      SELECT attributes, resource FROM logs WHERE ${where} ORDER BY ts DESC LIMIT ${SAMPLED})
    ARRAY JOIN arrayConcat(mapKeys(attributes), mapKeys(resource)) AS key, arrayConcat(mapValues(attributes), mapValues(resource)) AS value
    GROUP BY key, value) GROUP BY key ORDER BY total DESC, key LIMIT ${MAX_KEYS}`;
  const [byService, byKey] = await Promise.all([
    read<{ service: string; c: number }>(services, params),
    read<{ key: string; total: number; values: [string, number][] }>(attributes, params),
  ]);
  return {
    sampled: SAMPLED,
    services: byService.map(({ service, c }) => ({ value: service, count: c })),
    attributes: byKey.map(({ key, values }) => ({
      key,
      values: values.map(([value, count]) => ({ value, count })),
    })),
  };
}
