import type { FastifyBaseLogger } from 'fastify';
import { AppError, type Ctx, type Slice } from '#kernel';
import { type Relational, startTenantRounds } from '#relational';
import { keptTables, rollUpHours, type Telemetry } from '#telemetry';
import { createMetricProcedures, type MetricVerbs, RangeInput, type RangeQuery } from './api.ts';
import type { MetricDeps } from './context.ts';
import { parseMatch } from './domain/plan-range.ts';
import { listExemplars, listLabels, listMetrics, listValues } from './names.ts';
import { rangeOfMetric } from './range.ts';
import { EXPORTED } from './reader-clickhouse/export.ts';
import { createClickhouseReader } from './reader-clickhouse/reader.ts';
import { metricHours } from './reader-clickhouse/roll-up.ts';

/** A tenant whose hours did not change costs one small read. */
const ROUNDS = { name: 'metrics-roll-up', everyMs: 10 * 60_000, firstMs: 90_000 } as const;

export interface MetricsDeps {
  relational: Relational;
  telemetry: Pick<Telemetry, 'store'>;
  clock: { now(): number };
  /** Days that points of applications are kept. */
  keptDays: number;
  log: FastifyBaseLogger;
}

const listOf = (value: string | string[] | undefined): string[] => (value === undefined ? [] : [value].flat());

/** What a URL asks for, as the typed question; `validation` for what is none. */
function readQuery({ match, by, step_seconds, quantile, ...rest }: RangeQuery): RangeInput {
  const parsed = RangeInput.safeParse({
    ...rest,
    matchers: listOf(match).map(parseMatch),
    by: listOf(by),
    ...(step_seconds === undefined ? {} : { step_seconds: Number(step_seconds) }),
    ...(quantile === undefined ? {} : { quantile: Number(quantile) }),
  });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new AppError('validation', 'This query cannot be answered.', { faults });
}

const createVerbs = (deps: MetricDeps): MetricVerbs => {
  const range = (ctx: Ctx, input: RangeInput) => rangeOfMetric(deps, ctx.principal.tenant, input);
  return {
    names: (ctx, input) => listMetrics(deps, ctx.principal.tenant, input),
    labels: (ctx, input) => listLabels(deps, ctx.principal.tenant, input),
    values: (ctx, input) => listValues(deps, ctx.principal.tenant, input),
    range,
    rangeByUrl: async (ctx, input) => await range(ctx, readQuery(input)),
    exemplars: (ctx, input) => listExemplars(deps, ctx.principal.tenant, input),
  };
};

/** OTLP metrics: names, labels, ranges and exemplars of what was received, and its roll-up by the hour (docs/telemetry/metrics.md). */
export function createMetrics(deps: MetricsDeps) {
  const { relational, clock, keptDays, log } = deps;
  const { store } = deps.telemetry;
  let rounds: ReturnType<typeof startTenantRounds> | undefined;
  return {
    name: 'metrics',
    roles: ['evaluate'],
    data: keptTables(store, { exported: EXPORTED, derived: ['metric_marks'] }),
    procedures: createMetricProcedures(createVerbs({ reader: createClickhouseReader({ store, clock, keptDays }), clock })),
    start: () => {
      rounds = startTenantRounds(relational, {
        ...ROUNDS,
        log,
        visit: async (tenant) => {
          const hours = await rollUpHours(store, tenant, { ...metricHours(keptDays), nowMs: clock.now() });
          if (hours > 0) log.info({ tenant, hours }, 'metrics were rolled up');
        },
      });
    },
    close: async () => await rounds?.close(),
  } satisfies Slice;
}
