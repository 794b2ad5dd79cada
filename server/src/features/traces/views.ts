import { z } from 'zod';
import { KIND_NAMES, STATUS_NAMES } from './span-words.ts';

const count = z.int();
const ms = z.number();
/** Nanoseconds since the trace's first start; negative never. */
const ns = z.number();
const status = z.enum(STATUS_NAMES);
const kind = z.enum(KIND_NAMES);

export const TracePage = z.object({
  items: z.array(
    z.object({
      trace_id: z.string(),
      /** The root span; `seen` false: it is not here, and this is the first span that is. */
      root: z.object({ service: z.string(), name: z.string(), seen: z.boolean(), duration_ms: ms }),
      started_at: z.iso.datetime(),
      /** From the first start to the last end, which may be of work that went on after the root's. */
      duration_ms: ms,
      spans: count,
      errors: count,
      /** Most spans first, at most 8 of `service_count`. */
      services: z.array(z.object({ name: z.string(), spans: count })),
      service_count: count,
    }),
  ),
  /** What matched: the roots of these traces, or any span of theirs. */
  of: z.enum(['roots', 'spans']),
  /** Null at the end; a page may be shorter than its limit before it. */
  next_cursor: z.string().nullable(),
});
export type TracePage = z.infer<typeof TracePage>;

export const SpanPage = z.object({
  items: z.array(
    z.object({
      trace_id: z.string(),
      span_id: z.string(),
      service: z.string(),
      name: z.string(),
      kind,
      status,
      started_at: z.iso.datetime(),
      duration_ms: ms,
    }),
  ),
  next_cursor: z.string().nullable(),
});
export type SpanPage = z.infer<typeof SpanPage>;

export const Scatter = z.object({
  /** `roots` where the filter names no kind of span, else the spans that match. */
  of: z.enum(['roots', 'spans']),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  total: count,
  errors: count,
  /** Quantiles over all of them, not the sample; null for none. */
  p50_ms: ms.nullable(),
  p95_ms: ms.nullable(),
  p99_ms: ms.nullable(),
  points: z.array(
    z.object({
      trace_id: z.string(),
      span_id: z.string(),
      /** Unix milliseconds. */
      at: z.number(),
      ms,
      error: z.boolean(),
      service: z.string(),
      name: z.string(),
    }),
  ),
});
export type Scatter = z.infer<typeof Scatter>;

export const Latency = z.object({
  /** As of a scatter. */
  of: z.enum(['roots', 'spans']),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** A round length, so that the window holds no more steps than were asked for. */
  step_ms: count,
  /** Oldest first, none where nothing began; each begins at a multiple of its length, so that the window may cut the first and the last. */
  steps: z.array(z.object({ at: z.iso.datetime(), total: count, errors: count, p50_ms: ms, p95_ms: ms, p99_ms: ms })),
});
export type Latency = z.infer<typeof Latency>;

export const Facets = z.object({
  services: z.array(z.object({ name: z.string(), spans: count, errors: count, p95_ms: ms })),
  /** Of the services chosen. */
  operations: z.array(z.object({ service: z.string(), name: z.string(), spans: count, errors: count, p95_ms: ms })),
  /** Keys of the newest `sampled` spans, with how many of them have it. */
  attributes: z.array(z.object({ key: z.string(), spans: count })),
  sampled: count,
  /** False when the tenant has no span at all, in no window. */
  any: z.boolean(),
});
export type Facets = z.infer<typeof Facets>;

export const AttributeValues = z.object({ values: z.array(z.object({ value: z.string(), spans: count })), sampled: count });
export type AttributeValues = z.infer<typeof AttributeValues>;

export const TraceSpan = z.object({
  id: z.string(),
  /** '' for a root. */
  parent: z.string(),
  /** The parent is not here: not instrumented, sampled away or not yet arrived. */
  parent_missing: z.boolean(),
  depth: count,
  service: z.string(),
  name: z.string(),
  kind,
  status,
  status_message: z.string(),
  /** HTTP status or the like; '' where there is none. */
  code: z.string(),
  start_ns: ns,
  duration_ns: ns,
  /** Time in which no child ran. */
  own_ns: ns,
  /** Stretches of the critical path in this span: from, to, from, to. */
  critical: z.array(ns),
  /** A call whose other side is here as well: its own time went on the wire or into what is not instrumented. */
  crosses: z.boolean(),
  /** How far it lies outside its parent's time, which clocks that differ do; 0 within. */
  skew_ns: ns,
  events: count,
  links: count,
});
export type TraceSpan = z.infer<typeof TraceSpan>;

export const Trace = z.object({
  trace_id: z.string(),
  started_at: z.iso.datetime(),
  start_unix_nano: z.string(),
  duration_ns: ns,
  root: z.object({ service: z.string(), name: z.string(), seen: z.boolean(), duration_ns: ns }),
  /** At most 10,000 are given, the earliest. */
  span_count: count,
  errors: count,
  services: z.array(z.object({ name: z.string(), spans: count, errors: count, own_ns: ns, critical_ns: ns })),
  /** Part of the critical path between a call and its other side. */
  wire_ns: ns,
  missing_parents: count,
  /** Pairs of services whose clocks seem to differ, the largest first. */
  skews: z.array(z.object({ parent: z.string(), child: z.string(), skew_ns: ns, spans: count })),
  /** Parents before their children, siblings by their start. */
  spans: z.array(TraceSpan),
});
export type Trace = z.infer<typeof Trace>;

const Attributes = z.array(z.object({ key: z.string(), value: z.string(), type: z.string() }));

export const SpanDetail = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  attributes: Attributes,
  resource: Attributes,
  resource_schema_url: z.string(),
  scope: z.string(),
  scope_version: z.string(),
  scope_attributes: Attributes,
  scope_schema_url: z.string(),
  trace_state: z.string(),
  /** W3C trace flags in the lowest eight bits. */
  flags: count,
  events: z.array(
    z.object({ unix_nano: z.string(), at: z.iso.datetime(), name: z.string(), attributes: Attributes, dropped: count }),
  ),
  links: z.array(
    z.object({
      trace_id: z.string(),
      span_id: z.string(),
      trace_state: z.string(),
      flags: count,
      attributes: Attributes,
      dropped: count,
    }),
  ),
  /** Entries that the sender dropped. */
  dropped: z.object({ attributes: count, events: count, links: count, resource: count, scope: count }),
});
export type SpanDetail = z.infer<typeof SpanDetail>;

export const SpanLogs = z.object({
  items: z.array(
    z.object({
      at: z.iso.datetime(),
      unix_nano: z.string(),
      span_id: z.string(),
      service: z.string(),
      severity: count,
      severity_text: z.string(),
      body: z.string(),
    }),
  ),
  /** True when there are more than were asked for. */
  more: z.boolean(),
});
export type SpanLogs = z.infer<typeof SpanLogs>;
