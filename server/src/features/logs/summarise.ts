import type { Ctx } from '#kernel';
import { chooseStepMs } from '#telemetry';
import type { FacetsInput, HistogramInput, LogFacets, LogHistogram } from './api.ts';
import { type LogsDeps, readerOf } from './context.ts';
import { windowOf } from './filter.ts';
import { SAMPLED } from './reader.ts';

/** Of SeverityNumber: four numbers a level; none is `unspecified`. */
export const LEVELS = ['unspecified', 'trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

const NS_PER_MS = 1_000_000n;

/** Records by level in steps of the window; steps begin at multiples of their length, so that the first and last may be cut. */
export async function countByStep(deps: LogsDeps, ctx: Ctx, { buckets, ...filter }: HistogramInput): Promise<LogHistogram> {
  const window = windowOf(filter, deps.clock.now());
  const from = Number(window.from / NS_PER_MS);
  const to = Number(window.to / NS_PER_MS);
  const step = chooseStepMs(to - from, buckets);
  const rows = await readerOf(deps, ctx).steps({ filter, window, stepMs: step });
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

/** What the matching records have in common: services of all, attributes of the newest 10,000. */
export async function listFacets(deps: LogsDeps, ctx: Ctx, filter: FacetsInput): Promise<LogFacets> {
  const reader = readerOf(deps, ctx);
  const question = { filter, window: windowOf(filter, deps.clock.now()) };
  const [byService, byKey] = await Promise.all([reader.services(question), reader.attributes(question)]);
  return {
    sampled: SAMPLED,
    services: byService.map(({ service, c }) => ({ value: service, count: c })),
    attributes: byKey.map(({ key, values }) => ({
      key,
      values: values.map(([value, count]) => ({ value, count })),
    })),
  };
}
