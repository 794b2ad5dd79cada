import type { TenantId } from '#kernel';
import type { Matcher, MetricKind, MetricName, MetricRange, RangeInput } from './api.ts';
import type { Grouped, GroupRow } from './domain/plan-range.ts';
import type { TimeWindow } from './domain/window.ts';

/** Series of one metric that have points in the months of the window; `matchers` as `checkMatchers` took them. */
export interface SeriesQuestion {
  metric: string;
  matchers: readonly Matcher[];
  window: TimeWindow;
  limit: number;
}

export interface SeriesRow {
  /** Fingerprint, decimal. */
  id: string;
  kind: MetricKind;
  unit: string;
  otel_name: string;
  description: string;
  labels: Record<string, string>;
  scope: string;
  scope_version: string;
  /** Notes as in contracts/src/otlp/origin-notes.ts. */
  origin: string;
}

/** What the question of a range says by itself, in whole steps. */
export interface RangeFrame {
  metric: string;
  matchers: readonly Matcher[];
  window: TimeWindow & { stepMs: number };
  /** What is read: with what a counter needs to begin. */
  readFromMs: number;
}

/** One range, planned: the series that answer, and their groups. */
export interface Plan extends RangeFrame {
  kind: MetricKind;
  fingerprints: bigint[];
  grouped: Grouped;
  input: RangeInput;
  /** One of the series: unit and description are theirs. */
  about: SeriesRow;
  scopes: MetricRange['scopes'];
}

export interface ExemplarQuestion {
  metric: string;
  fingerprints: readonly bigint[];
  window: TimeWindow;
  stretchMs: number;
  perStretch: number;
  limit: number;
}

export interface ExemplarRow {
  /** Of the series, as in SeriesRow. */
  id: string;
  /** Unix milliseconds. */
  at: number;
  value: number;
  /** Lower hex; zeros where the sender told none. */
  trace_id: string;
  span_id: string;
  attributes: Record<string, string>;
}

/** Where metrics are read. One question is bounded in time and memory: `unavailable` beyond. */
export interface MetricReader {
  /** Metrics of which name or description holds every word (lower case), by name and kind. */
  metrics(tenant: TenantId, question: { window: TimeWindow; words: readonly string[]; limit: number }): Promise<MetricName[]>;
  /** Labels and how many values each has, those with several first. */
  labels(tenant: TenantId, question: SeriesQuestion): Promise<{ label: string; values: number }[]>;
  /** Values of one label that hold `search` (lower case), those of most series first. */
  values(
    tenant: TenantId,
    question: SeriesQuestion & { label: string; search: string },
  ): Promise<{ value: string; series: number }[]>;
  /** In order of their fingerprints, each as its newest month has it, with those of its labels that `told` names (all without it). */
  series(tenant: TenantId, question: SeriesQuestion & { told?: readonly string[] | undefined }): Promise<SeriesRow[]>;
  /** The plan is still under way: what its frame tells may be read meanwhile. */
  numbers(tenant: TenantId, frame: RangeFrame, planned: Promise<Plan>): Promise<GroupRow[]>;
  quantiles(tenant: TenantId, plan: Plan): Promise<GroupRow[]>;
  /** The largest of each stretch. */
  exemplars(tenant: TenantId, question: ExemplarQuestion): Promise<ExemplarRow[]>;
}
