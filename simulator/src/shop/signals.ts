import type { Attributes, Value } from './attributes.ts';
import type { Instance, Pod } from './services.ts';

/** As in OTLP. */
export const KIND = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;
export const SEVERITY = { DEBUG: 5, INFO: 9, WARN: 13, ERROR: 17 } as const;
export type SeverityText = keyof typeof SEVERITY;

export interface SpanEvent {
  atMs: number;
  name: string;
  attributes: Attributes;
}

/** Times are Unix milliseconds with a fraction; a microsecond is what is left of them. */
export interface Span {
  instance: Pod;
  traceId: Uint8Array;
  spanId: Uint8Array;
  parentId: Uint8Array | undefined;
  /** How many traces this one stands for: 1 unless it was sampled. */
  weight: number;
  name: string;
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, Value>;
  /** What went wrong; undefined where nothing did. */
  fault: string | undefined;
  events: SpanEvent[];
  links: { traceId: Uint8Array; spanId: Uint8Array; attributes: Attributes }[];
}

/** What is sent of a span, whoever it is of. */
export type SentSpan = Omit<Span, 'instance'> & { instance: Instance };
export type SentLog = Omit<LogRecord, 'span'> & { span: Pick<Span, 'traceId' | 'spanId'> | undefined };

export interface LogRecord {
  instance: Instance;
  atMs: number;
  severity: SeverityText;
  body: string;
  attributes: Attributes;
  span: Span | undefined;
}

export interface Exemplar {
  atMs: number;
  value: number;
  traceId: Uint8Array;
  spanId: Uint8Array;
}

interface Point {
  attributes: Attributes;
  startMs: number;
  atMs: number;
}

export interface NumberPoint extends Point {
  value: number;
}

export interface HistogramPoint extends Point {
  count: number;
  sum: number;
  min: number;
  max: number;
  /** One more than the metric's bounds. */
  counts: readonly number[];
  exemplars: readonly Exemplar[];
}

export interface ExponentialPoint extends Point {
  count: number;
  sum: number;
  min: number;
  max: number;
  scale: number;
  zeroCount: number;
  offset: number;
  counts: readonly number[];
  exemplars: readonly Exemplar[];
}

interface Named {
  name: string;
  unit: string;
  description: string;
}

/** Sums and histograms are cumulative. */
export type Metric = Named &
  (
    | { type: 'gauge'; points: readonly NumberPoint[] }
    | { type: 'sum'; monotonic: boolean; points: readonly NumberPoint[] }
    | { type: 'histogram'; bounds: readonly number[]; points: readonly HistogramPoint[] }
    | { type: 'exponential'; points: readonly ExponentialPoint[] }
  );

export interface InstanceMetrics {
  instance: Instance;
  metrics: readonly Metric[];
}
