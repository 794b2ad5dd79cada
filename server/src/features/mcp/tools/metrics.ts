import { z } from 'zod';
import { shapeRange } from '../domain/shape-answers.ts';
import { type Tool, type ToolInput, window } from './tool.ts';

const OPERATORS = ['=', '!=', 'in', '=~', '!~'] as const;
const FUNCTIONS = ['raw', 'avg', 'min', 'max', 'rate', 'increase', 'quantile'] as const;
const AGGREGATES = ['none', 'sum', 'avg', 'min', 'max', 'count'] as const;

const HOUR_SECONDS = 3600;
/** Enough to see a shape; the console draws four times as many. */
const STEPS = 60;
/** Longer windows are kept in steps of whole hours. */
const FINE_SECONDS = 48 * HOUR_SECONDS;

const metric = z.string().min(1).max(1024).describe('As list_metrics gives it');

/** Steps that an assistant can read, where it names none. */
function withSteps(input: ToolInput): ToolInput {
  if (input.step_seconds !== undefined) return input;
  const toMs = input.to === undefined ? Date.now() : Date.parse(String(input.to));
  const fromMs = input.from === undefined ? toMs - HOUR_SECONDS * 1000 : Date.parse(String(input.from));
  const seconds = (toMs - fromMs) / 1000;
  // What is no window is refused by the procedure, in its words.
  if (!(seconds > 0)) return input;
  const unit = seconds > FINE_SECONDS ? HOUR_SECONDS : 1;
  return { ...input, step_seconds: Math.max(1, Math.ceil(seconds / STEPS / unit)) * unit };
}

export const metricTools: readonly Tool[] = [
  {
    name: 'list_metrics',
    title: 'Metrics',
    description:
      'Names of metrics that were received or measured, with kind, unit and number of series. `more` says that a search would find others.',
    procedure: 'metrics.names',
    input: z.strictObject({
      search: z.string().max(200).optional().describe('Part of the name'),
      ...window,
      limit: z.int().min(1).max(200).default(100),
    }),
  },
  {
    name: 'list_metric_labels',
    title: 'Labels of a metric',
    description: 'Labels by which the series of one metric differ, and how many values each has.',
    procedure: 'metrics.labels',
    input: z.strictObject({ metric, ...window }),
  },
  {
    name: 'query_metric',
    title: 'A metric over time',
    description:
      'Points of one metric over time, of the last hour unless a time is given: `rate` for counters, `quantile` for histograms, aggregated over the series of a group. At most 20 series are shown; `matched` says how many there are.',
    procedure: 'metrics.range',
    input: z.strictObject({
      metric,
      matchers: z
        .array(
          z.strictObject({
            label: z.string().min(1).max(256),
            op: z.enum(OPERATORS),
            values: z.array(z.string().max(4096)).min(1).max(100),
          }),
        )
        .max(20)
        .optional()
        .describe('Conditions on labels; patterns are RE2 and match the whole value'),
      ...window,
      step_seconds: z
        .int()
        .min(1)
        .max(31 * 86_400)
        .optional(),
      function: z.enum(FUNCTIONS).default('raw'),
      quantile: z.number().min(0).max(1).default(0.95),
      aggregate: z.enum(AGGREGATES).default('none'),
      by: z.array(z.string().min(1).max(256)).max(10).optional().describe('Labels that make the groups of an aggregate'),
    }),
    toInput: withSteps,
    shape: shapeRange,
  },
];
