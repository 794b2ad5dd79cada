import type { TraceFilter } from './api.ts';
import type { Place, Sort } from './domain/cursor.ts';
import type { WholeSpan } from './domain/otlp-trace.ts';

/** Unix milliseconds, the end exclusive. */
export interface Window {
  fromMs: number;
  toMs: number;
}

export interface SpanQuestion {
  /** Its window is given apart. */
  filter: TraceFilter;
  window: Window;
}

/** The first in an order that come after a place, the largest first. */
export interface PageQuestion extends SpanQuestion {
  sort: Sort;
  /** Of spans without a parent alone. */
  rootsOnly?: boolean;
  past?: Place;
  limit: number;
}

/** A span of a list; 64-bit numbers are text, since JSON would round them. */
export interface SpanRow {
  /** Nanoseconds of what the list is sorted by. */
  key: string;
  traceId: string;
  spanId: string;
  service: string;
  name: string;
  kind: number;
  status: number;
  atMs: number;
  durationMs: number;
}

export interface FoundTraces {
  places: Place[];
  /** Where to look on; undefined at the end. */
  next: Place | undefined;
}

/** A trace in a list; a span that its sender sent twice counts once. */
export interface SummaryRow {
  id: string;
  /** Unix nanoseconds. */
  first: string;
  last: string;
  spans: number;
  errors: number;
  rootService: string;
  rootName: string;
  /** Nanoseconds. */
  rootDuration: string;
  /** 1 where no span is without a parent. */
  rootless: number;
  services: Record<string, number>;
}

export interface PointRow {
  traceId: string;
  spanId: string;
  at: number;
  ms: number;
  error: number;
  service: string;
  name: string;
}

export interface Points {
  points: PointRow[];
  /** `quantiles`: 0.5, 0.95 and 0.99 of milliseconds. */
  totals: { total: number; errors: number; quantiles: (number | null)[] };
}

/** How long those took that began in a step, milliseconds. */
export interface LatencyRow {
  /** Unix milliseconds of the step's beginning, a multiple of its length. */
  at: number;
  total: number;
  errors: number;
  /** 0.5, 0.95 and 0.99. */
  quantiles: [number, number, number];
}

export interface GroupRow {
  service: string;
  /** '' for a service. */
  name: string;
  spans: number;
  errors: number;
  /** Milliseconds. */
  p95: number;
}

export interface GroupQuestion extends SpanQuestion {
  services: readonly string[];
}

export interface Groups {
  services: GroupRow[];
  operations: GroupRow[];
}

/** Of the newest spans that match: how many have it, and how many were looked at. */
export interface Counted {
  rows: { text: string; spans: number }[];
  sampled: number;
}

export interface TraceSpanRow {
  id: string;
  /** '' for a root. */
  parent: string;
  at: string;
  duration: string;
  service: string;
  name: string;
  kind: number;
  status: number;
  message: string;
  /** HTTP status; '' for none. */
  code: string;
  events: number;
  links: number;
}

export interface TraceLogRow {
  atNano: string;
  span: string;
  service: string;
  severity: number;
  severityText: string;
  body: string;
}

/** Points of each sort: failed, longest, and a sample of the rest. */
export const ERRORS = 600;
export const LONGEST = 100;
export const OTHERS = 1400;

export const MAX_SERVICES = 200;
export const MAX_OPERATIONS = 100;
export const MAX_KEYS = 200;
export const MAX_VALUES = 50;
/** Longer values are no choice to click on. */
export const MAX_VALUE = 200;
/** The newest spans whose attributes are counted. */
export const SAMPLE = 5000;
/** Of one trace. */
export const MAX_SPANS = 10_000;
/** A trace may have begun before and gone on after what was found of it by this much. */
export const AROUND_MS = 6 * 3_600_000;

/** The spans of one tenant. Each question is one of the tenant's turns. */
export interface TraceReader {
  spans(question: PageQuestion): Promise<SpanRow[]>;
  /** Traces in the order of their first matching span, whose place is the trace's; none that stands on a page before `past`. */
  findTraces(question: PageQuestion): Promise<FoundTraces>;
  summaries(question: { ids: readonly string[]; window: Window }): Promise<SummaryRow[]>;
  points(question: SpanQuestion & { rootsOnly: boolean }): Promise<Points>;
  /** Oldest first; no row for a step without any. */
  latency(question: SpanQuestion & { rootsOnly: boolean; stepMs: number }): Promise<LatencyRow[]>;
  /** All services, and operations of the services named (of all without a name); most spans first. */
  groups(question: GroupQuestion): Promise<Groups>;
  keys(question: SpanQuestion): Promise<Counted>;
  values(question: SpanQuestion & { key: string }): Promise<Counted>;
  /** Whether the tenant has a span at all. */
  any(): Promise<boolean>;
  /** The earliest spans of a trace, one more than `MAX_SPANS` where there are more; `total` counts all. */
  spansOf(id: string): Promise<{ rows: TraceSpanRow[]; beyond?: { total: number; errors: number } }>;
  /** How spans failed that have no HTTP status. */
  codesOf(id: string): Promise<{ id: string; code: string }[]>;
  /** Oldest first. */
  logsOf(question: { id: string; span?: string; limit: number }): Promise<TraceLogRow[]>;
  whole(id: string, span: string): Promise<WholeSpan | undefined>;
  /** Spans, and bytes of their attributes. */
  sizeOf(id: string): Promise<{ spans: number; bytes: number }>;
  /** Each span once, oldest first. */
  wholes(id: string): Promise<WholeSpan[]>;
}
