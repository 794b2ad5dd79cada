import { z } from 'zod';
import { listLimit, listLimitQuery, oneOrMore, permitted, router } from '#api';
import type { Ctx } from '#kernel';
import { SORTS } from './domain/cursor.ts';
import { KIND_NAMES, STATUS_NAMES } from './span-words.ts';
import { AttributeValues, Facets, Latency, Scatter, SpanDetail, SpanLogs, SpanPage, Trace, TracePage } from './views.ts';

const instant = z.iso.datetime({ offset: true });
/** Query strings give one value as text and several as a list. */
const milliseconds = z.number().min(0).max(86_400_000);
const cursor = z.string().max(200).optional();

/** What a span must be to be found. Without `from` and `to` those of the last hour; at most 15 days. */
export const TraceFilter = z.object({
  service: oneOrMore(z.string().min(1).max(256), 50),
  operation: oneOrMore(z.string().min(1).max(1024), 50),
  status: oneOrMore(z.enum(STATUS_NAMES), 3),
  kind: oneOrMore(z.enum(KIND_NAMES), 6),
  min_ms: milliseconds.optional(),
  max_ms: milliseconds.optional(),
  /** All must hold, on the span or else its resource: `key=value`, `key!=value` (or without the key), `key~part`, `key>5` (`>=`, `<`, `<=`), `key` (has it), `!key` (has it not). */
  attribute: oneOrMore(z.string().min(1).max(1024), 10),
  from: instant.optional(),
  to: instant.optional(),
});
export type TraceFilter = z.infer<typeof TraceFilter>;

export const ListInput = TraceFilter.extend({
  sort: z.enum(SORTS).default('time'),
  limit: listLimit,
  cursor,
});
export type ListInput = z.infer<typeof ListInput>;
export const TracesInput = ListInput.extend({
  /** `roots`: those whose root matches, as a scatter counts them; where none does, or the filter names a kind of span, as `spans`. */
  of: z.enum(['roots', 'spans']).default('spans'),
});
export type TracesInput = z.infer<typeof TracesInput>;
const inQuery = {
  min_ms: z.coerce.number().min(0).max(86_400_000).optional(),
  max_ms: z.coerce.number().min(0).max(86_400_000).optional(),
};
const TracesQuery = TracesInput.extend({
  ...inQuery,
  limit: listLimitQuery,
});

const MAX_STEPS = 300;
export const LatencyInput = TraceFilter.extend({
  /** Most steps of the window; fewer have more spans each to tell quantiles of. */
  steps: z.int().min(1).max(MAX_STEPS).default(MAX_STEPS),
});
export type LatencyInput = z.infer<typeof LatencyInput>;
const LatencyQuery = LatencyInput.extend({ ...inQuery, steps: z.coerce.number().int().min(1).max(MAX_STEPS).default(MAX_STEPS) });

/** An id of zeros is none (W3C trace context). */
const traceId = z
  .string()
  .regex(/^[0-9a-f]{32}$/i, 'A trace id has 32 hex digits.')
  .refine((id) => !/^0+$/.test(id), 'An id of zeros names no trace.')
  .toLowerCase();
const spanId = z
  .string()
  .regex(/^[0-9a-f]{16}$/i, 'A span id has 16 hex digits.')
  .toLowerCase();
const TraceId = z.object({ id: traceId });
const SpanId = z.object({ id: traceId, span: spanId });
export const LogsInput = z.object({ id: traceId, span: spanId.optional(), limit: listLimit });
export type LogsInput = z.infer<typeof LogsInput>;
export const ValuesInput = TraceFilter.extend({ key: z.string().min(1).max(256) });
export type ValuesInput = z.infer<typeof ValuesInput>;

/** What the slice does, verb by verb; the procedures below only parse, check and call. */
export interface TracesVerbs {
  list(ctx: Ctx, input: TracesInput): Promise<TracePage>;
  spans(ctx: Ctx, input: ListInput): Promise<SpanPage>;
  scatter(ctx: Ctx, input: TraceFilter): Promise<Scatter>;
  latency(ctx: Ctx, input: LatencyInput): Promise<Latency>;
  facets(ctx: Ctx, input: TraceFilter): Promise<Facets>;
  values(ctx: Ctx, input: ValuesInput): Promise<AttributeValues>;
  get(ctx: Ctx, input: { id: string }): Promise<Trace>;
  span(ctx: Ctx, input: { id: string; span: string }): Promise<SpanDetail>;
  logs(ctx: Ctx, input: LogsInput): Promise<SpanLogs>;
  otlp(ctx: Ctx, input: { id: string }): Promise<string>;
}

const tags = ['otlp'];

/** What people look at to find a trace. */
const searchProcedures = (verbs: TracesVerbs) => ({
  list: permitted('otlp.read', {
    rest: {
      method: 'GET',
      path: '/otlp/traces',
      tags,
      summary: 'Traces with a span that matches, or whose root does, newest or longest first',
      errors: ['validation', 'unavailable'],
      query: TracesQuery,
    },
  })
    .input(TracesInput)
    .output(TracePage)
    .query(({ ctx, input }) => verbs.list(ctx, input)),
  spans: permitted('otlp.read')
    .input(ListInput)
    .output(SpanPage)
    .query(({ ctx, input }) => verbs.spans(ctx, input)),
  /** A bounded sample: errors and the longest are kept before others. */
  scatter: permitted('otlp.read')
    .input(TraceFilter)
    .output(Scatter)
    .query(({ ctx, input }) => verbs.scatter(ctx, input)),
  latency: permitted('otlp.read', {
    rest: {
      method: 'GET',
      path: '/otlp/latency',
      tags,
      summary: 'How many spans match, how many of them failed and how long they took (p50, p95, p99), over time',
      errors: ['validation', 'unavailable'],
      query: LatencyQuery,
    },
  })
    .input(LatencyInput)
    .output(Latency)
    .query(({ ctx, input }) => verbs.latency(ctx, input)),
  facets: permitted('otlp.read')
    .input(TraceFilter)
    .output(Facets)
    .query(({ ctx, input }) => verbs.facets(ctx, input)),
  values: permitted('otlp.read')
    .input(ValuesInput)
    .output(AttributeValues)
    .query(({ ctx, input }) => verbs.values(ctx, input)),
});

/** `traces.*` over tRPC, and below /v1 over REST where a path is given. */
export const createTracesProcedures = (verbs: TracesVerbs) =>
  router({
    ...searchProcedures(verbs),
    get: permitted('otlp.read', {
      rest: {
        method: 'GET',
        path: '/otlp/traces/:id',
        tags,
        summary: 'One trace: its spans as a tree, own times and critical path',
        errors: ['validation', 'not_found', 'unavailable'],
      },
    })
      .input(TraceId)
      .output(Trace)
      .query(({ ctx, input }) => verbs.get(ctx, input)),
    span: permitted('otlp.read')
      .input(SpanId)
      .output(SpanDetail)
      .query(({ ctx, input }) => verbs.span(ctx, input)),
    logs: permitted('otlp.read')
      .input(LogsInput)
      .output(SpanLogs)
      .query(({ ctx, input }) => verbs.logs(ctx, input)),
    otlp: permitted('otlp.read', {
      rest: {
        method: 'GET',
        path: '/otlp/traces/:id/otlp',
        contentType: 'application/json; charset=utf-8',
        tags,
        summary: 'One trace as OTLP JSON, as it was sent',
        errors: ['validation', 'not_found', 'too_large', 'unavailable'],
      },
    })
      .input(TraceId)
      .output(z.string())
      .query(({ ctx, input }) => verbs.otlp(ctx, input)),
  });
