import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import type { Ctx } from '#kernel';

const instant = z.iso.datetime({ offset: true });
const labelName = z.string().min(1).max(256);
const labels = z.record(z.string(), z.string());
/** The last hour where it is left out; at most 400 days. */
const window = { from: instant.optional(), to: instant.optional() };

/** As a TSDB has them; `sum` counts up, `updown` is a sum that may fall. */
export const KINDS = [
  'gauge',
  'sum',
  'updown',
  'delta',
  'histogram',
  'delta_histogram',
  'exp_histogram',
  'delta_exp_histogram',
  'summary',
] as const;
export type MetricKind = (typeof KINDS)[number];

/** A condition on one label; a label that a series does not have is the empty text. Patterns are RE2 and match the whole value. */
export const Matcher = z.object({
  label: labelName,
  op: z.enum(['=', '!=', 'in', '=~', '!~']),
  /** One value, but for `in`. */
  values: z.array(z.string().max(4096)).min(1).max(100),
});
export type Matcher = z.infer<typeof Matcher>;
const matchers = z.array(Matcher).max(20).default([]);

export const FUNCTIONS = ['raw', 'avg', 'min', 'max', 'rate', 'increase', 'quantile'] as const;
export const AGGREGATES = ['none', 'sum', 'avg', 'min', 'max', 'count'] as const;

export const NamesInput = z.object({
  search: z.string().max(200).optional(),
  ...window,
  limit: listLimit,
});
export type NamesInput = z.infer<typeof NamesInput>;

export const MetricName = z.object({
  /** As in a TSDB. */
  metric: z.string(),
  /** As it was sent. */
  otel_name: z.string(),
  kind: z.enum(KINDS),
  unit: z.string(),
  description: z.string(),
  series: z.int(),
});
export type MetricName = z.infer<typeof MetricName>;

export const MetricNames = z.object({ items: z.array(MetricName), more: z.boolean() });

export const LabelsInput = z.object({ metric: z.string().min(1).max(1024), matchers, ...window });
export type LabelsInput = z.infer<typeof LabelsInput>;
/** Labels of a metric, those that tell its series apart first. */
export const LabelNames = z.object({ items: z.array(z.object({ label: z.string(), values: z.int() })) });

export const ValuesInput = LabelsInput.extend({
  label: labelName,
  search: z.string().max(200).optional(),
  limit: listLimit,
});
export type ValuesInput = z.infer<typeof ValuesInput>;
export const LabelValues = z.object({ items: z.array(z.object({ value: z.string(), series: z.int() })), more: z.boolean() });

export const RangeInput = z.object({
  metric: z.string().min(1).max(1024),
  /** The kind that most series have, where a name stands for several. */
  kind: z.enum(KINDS).optional(),
  matchers,
  ...window,
  /** Chosen for about 240 steps where it is left out. Steps of whole hours reach 13 months back, others as far as points are kept. */
  step_seconds: z
    .int()
    .min(1)
    .max(31 * 86_400)
    .optional(),
  /**
   * What becomes of one series in one step. `raw`: the last point, for five minutes. `rate` (a second) and `increase`: of sums, of the count of
   * histograms; `avg` of a histogram is of what it observed. `quantile`: of histograms, after adding those of a group.
   */
  function: z.enum(FUNCTIONS).default('raw'),
  quantile: z.number().min(0).max(1).default(0.95),
  /** What becomes of the series of a group; `none` leaves every series by itself. */
  aggregate: z.enum(AGGREGATES).default('none'),
  /** Labels that make the groups; without one all series are one group. */
  by: z.array(labelName).max(10).default([]),
});
export type RangeInput = z.infer<typeof RangeInput>;

/** The same as it stands in a URL: a matcher is `label=value`, `label!=value`, `label=~pattern` or `label!~pattern`; lists repeat their key. */
const texts = z.union([z.string().max(8192), z.array(z.string().max(8192)).max(50)]).optional();
export const RangeQuery = z.object({
  metric: z.string().max(1024).default(''),
  kind: z.enum(KINDS).optional(),
  match: texts,
  ...window,
  step_seconds: z
    .string()
    .regex(/^\d{1,7}$/)
    .optional(),
  function: z.enum(FUNCTIONS).optional(),
  quantile: z.string().max(20).optional(),
  aggregate: z.enum(AGGREGATES).optional(),
  by: texts,
});
export type RangeQuery = z.infer<typeof RangeQuery>;

export const MetricRange = z.object({
  metric: z.string(),
  otel_name: z.string(),
  kind: z.enum(KINDS),
  unit: z.string(),
  description: z.string(),
  from: z.string(),
  to: z.string(),
  step_ms: z.int(),
  /** Who recorded the series that answered, at most 20; attributes of a scope are labels. */
  scopes: z.array(z.object({ name: z.string(), version: z.string(), schema_url: z.string(), resource_schema_url: z.string() })),
  /** What the metric was sent with beside its name, unit and description. */
  metadata: labels,
  /** Series that answered to the matchers. */
  matched: z.int(),
  series: z.array(
    z.object({
      labels,
      /** Beginnings of steps, Unix milliseconds; a step without a value is left out. */
      ts: z.array(z.number()),
      values: z.array(z.number()),
    }),
  ),
});
export type MetricRange = z.infer<typeof MetricRange>;

export const ExemplarsInput = LabelsInput.extend({ limit: listLimit });
export type ExemplarsInput = z.infer<typeof ExemplarsInput>;
export const Exemplars = z.object({
  /** Spread over the window, the largest of each stretch, oldest first. */
  items: z.array(
    z.object({
      at: z.string(),
      value: z.number(),
      /** Hex; empty where the sender told none. */
      trace_id: z.string(),
      span_id: z.string(),
      /** Of the series. */
      labels,
      /** Left out of the series, told by this one measurement. */
      attributes: labels,
    }),
  ),
});
export type Exemplars = z.infer<typeof Exemplars>;

export interface MetricVerbs {
  names(ctx: Ctx, input: NamesInput): Promise<z.infer<typeof MetricNames>>;
  labels(ctx: Ctx, input: LabelsInput): Promise<z.infer<typeof LabelNames>>;
  values(ctx: Ctx, input: ValuesInput): Promise<z.infer<typeof LabelValues>>;
  range(ctx: Ctx, input: RangeInput): Promise<MetricRange>;
  /** The range as a URL asks for it. */
  rangeByUrl(ctx: Ctx, input: RangeQuery): Promise<MetricRange>;
  exemplars(ctx: Ctx, input: ExemplarsInput): Promise<Exemplars>;
}

const tags = ['otlp'];

/** `metrics.*` over tRPC; the range and the names below /v1/otlp/metrics over REST. */
export const createMetricProcedures = (verbs: MetricVerbs) =>
  router({
    names: permitted('otlp.read', {
      rest: {
        method: 'GET',
        path: '/otlp/metrics/names',
        tags,
        summary: 'Metrics that were received, by name',
        query: z.object({
          search: z.string().max(200).optional(),
          ...window,
          limit: listLimitQuery,
        }),
        errors: ['unavailable'],
      },
    })
      .input(NamesInput)
      .output(MetricNames)
      .query(({ ctx, input }) => verbs.names(ctx, input)),
    labels: permitted('otlp.read')
      .input(LabelsInput)
      .output(LabelNames)
      .query(({ ctx, input }) => verbs.labels(ctx, input)),
    values: permitted('otlp.read')
      .input(ValuesInput)
      .output(LabelValues)
      .query(({ ctx, input }) => verbs.values(ctx, input)),
    range: permitted('otlp.read')
      .input(RangeInput)
      .output(MetricRange)
      .query(({ ctx, input }) => verbs.range(ctx, input)),
    rangeByUrl: permitted('otlp.read', {
      rest: {
        method: 'GET',
        path: '/otlp/metrics',
        tags,
        summary: 'Points of a metric over time',
        errors: ['not_found', 'unavailable'],
      },
    })
      .input(RangeQuery)
      .output(MetricRange)
      .query(({ ctx, input }) => verbs.rangeByUrl(ctx, input)),
    exemplars: permitted('otlp.read')
      .input(ExemplarsInput)
      .output(Exemplars)
      .query(({ ctx, input }) => verbs.exemplars(ctx, input)),
  });
