import { z } from 'zod';
import { listLimit, listLimitQuery, permitted, router } from '#api';
import type { Ctx } from '#kernel';
import { LogFilter, LogFilterQuery } from './filter.ts';
import { LogRecord } from './records.ts';

const cursor = z.string().max(512).optional();

export const ListInput = LogFilter.extend({ limit: listLimit, cursor });
export type ListInput = z.infer<typeof ListInput>;
const ListQuery = LogFilterQuery.extend({ limit: listLimitQuery, cursor });

export const LogPage = z.object({ items: z.array(LogRecord), next_cursor: z.string().nullable() });
export type LogPage = z.infer<typeof LogPage>;

export const HistogramInput = LogFilter.extend({ buckets: z.int().min(1).max(500).default(120) });
export type HistogramInput = z.infer<typeof HistogramInput>;

/** `counts` by level: unspecified, trace, debug, info, warn, error, fatal. Steps without a record are left out. */
export const LogHistogram = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  step_ms: z.int(),
  total: z.int(),
  steps: z.array(z.object({ at: z.iso.datetime(), counts: z.array(z.int()) })),
});
export type LogHistogram = z.infer<typeof LogHistogram>;

export const FacetsInput = LogFilter;
export type FacetsInput = z.infer<typeof FacetsInput>;
const Counted = z.array(z.object({ value: z.string(), count: z.int() }));
export const LogFacets = z.object({
  services: Counted,
  /** Of at most this many of the newest records that match. */
  sampled: z.int(),
  attributes: z.array(z.object({ key: z.string(), values: Counted })),
});
export type LogFacets = z.infer<typeof LogFacets>;

/** The window of a tail is its own: what was stored since the cursor and is at most ten minutes old. */
export const TailInput = LogFilter.omit({ from: true, to: true }).extend({ cursor: z.string().max(40_000).optional() });
export type TailInput = z.infer<typeof TailInput>;
export const TailPage = z.object({ items: z.array(LogRecord), matched: z.int(), next_cursor: z.string() });
export type TailPage = z.infer<typeof TailPage>;

const around = z.int().min(0).max(200).default(20);
export const ContextInput = z.object({ id: z.string().max(200), before: around, after: around });
export type ContextInput = z.infer<typeof ContextInput>;
export const LogContext = z.object({ before: z.array(LogRecord), record: LogRecord, after: z.array(LogRecord) });
export type LogContext = z.infer<typeof LogContext>;

export interface LogVerbs {
  list(ctx: Ctx, input: ListInput): Promise<LogPage>;
  record(ctx: Ctx, input: { id: string }): Promise<LogRecord>;
  histogram(ctx: Ctx, input: HistogramInput): Promise<LogHistogram>;
  facets(ctx: Ctx, input: FacetsInput): Promise<LogFacets>;
  tail(ctx: Ctx, input: TailInput): Promise<TailPage>;
  context(ctx: Ctx, input: ContextInput): Promise<LogContext>;
}

const tags = ['otlp'];

/** `logs.*` over tRPC, and below /v1/otlp over REST where a path is given. */
export const createLogProcedures = (verbs: LogVerbs) =>
  router({
    list: permitted('otlp.read', {
      rest: {
        method: 'GET',
        path: '/otlp/logs',
        tags,
        summary: 'Log records, newest first',
        errors: ['validation', 'unavailable'],
        query: ListQuery,
      },
    })
      .input(ListInput)
      .output(LogPage)
      .query(({ ctx, input }) => verbs.list(ctx, input)),
    record: permitted('otlp.read', {
      rest: {
        method: 'GET',
        path: '/otlp/logs/:id',
        tags,
        summary: 'One log record, whole',
        errors: ['not_found', 'unavailable'],
      },
    })
      .input(z.object({ id: z.string().max(200) }))
      .output(LogRecord)
      .query(({ ctx, input }) => verbs.record(ctx, input)),
    histogram: permitted('otlp.read')
      .input(HistogramInput)
      .output(LogHistogram)
      .query(({ ctx, input }) => verbs.histogram(ctx, input)),
    facets: permitted('otlp.read')
      .input(FacetsInput)
      .output(LogFacets)
      .query(({ ctx, input }) => verbs.facets(ctx, input)),
    tail: permitted('otlp.read')
      .input(TailInput)
      .output(TailPage)
      .query(({ ctx, input }) => verbs.tail(ctx, input)),
    context: permitted('otlp.read')
      .input(ContextInput)
      .output(LogContext)
      .query(({ ctx, input }) => verbs.context(ctx, input)),
  });
