import type { CanaryType } from '@svc/contracts/results/canonical-result';
import type { Cause } from '@svc/contracts/verdict';
import type { TenantId } from '#kernel';

/** One result as the store gives it back; fields that were not sent are absent. Times are Unix milliseconds. */
export interface StoredResult {
  resultId: string;
  agentId: string;
  type: CanaryType;
  testId?: string;
  serverAddress?: string;
  serverPort?: number;
  /** Host, port unless 80 or 443, path unless the root: tells targets apart and is the series label `target`; '' without a target. */
  target: string;
  success?: boolean;
  error?: string;
  startedAtMs: number;
  durationMs?: number;
  /** False: the signal could not be measured; `metrics` is then empty and `attributes` say why. */
  present: boolean;
  metrics: Record<string, number>;
  attributes: Record<string, string>;
}

/** From (inclusive) to (exclusive), Unix milliseconds. */
export interface TimeWindow {
  fromMs: number;
  toMs: number;
}

export interface HistoryQuery extends TimeWindow {
  agentId: string;
  /** Absent means every type. */
  type?: CanaryType;
  /** Only this target; absent means all. */
  target?: string;
  /** Only what comes before this result in time, among those of one millisecond by id. */
  before?: { startedAtMs: number; resultId: string };
  /** At most this many, the newest kept (default 1000, at most 10,000). */
  limit?: number;
}

export interface CauseStripQuery extends TimeWindow {
  /** At most 1000. */
  agentIds: readonly string[];
  stepMs: number;
}

/** A stretch of time ruled by one cause; between two spans nothing was measured. */
export interface CauseSpan extends TimeWindow {
  cause: Cause;
}

/** Sessions of one agent to one target in a window; those that failed count in no time. */
export interface SessionTotals {
  target: string;
  count: number;
  failed: number;
  /** Where they failed, most often first; null for those that do not say. */
  phases: { phase: string | null; count: number }[];
  /** Of those that succeeded, milliseconds; null where none did. */
  medianMs: number | null;
  worstMs: number | null;
}

/** What the results slice answers; each reads exactly one tenant and nothing for ids of another. */
export interface ResultQueries {
  /** The newest result of each type, and of each target within a type, of one agent, within the last 30 days. */
  latest(tenant: TenantId, agentId: string): Promise<StoredResult[]>;
  /** The same for a page of agents (at most 1000) in one question; an agent without results has no entry. */
  latestOf(tenant: TenantId, query: { agentIds: readonly string[] }): Promise<Map<string, StoredResult[]>>;
  /** The newest result of each type, and of each target within a type, of one agent in a window. */
  newestIn(tenant: TenantId, query: TimeWindow & { agentId: string }): Promise<StoredResult[]>;
  /** Sessions of one agent in a window by target, of the newest 20,000. */
  sessionTotals(tenant: TenantId, query: TimeWindow & { agentId: string }): Promise<SessionTotals[]>;
  /** Results of one agent and type in a window, oldest first. */
  history(tenant: TenantId, query: HistoryQuery): Promise<StoredResult[]>;
  /** For each agent asked for, the cause that ruled each step (most verdicts, the later on a tie), oldest first; null where none was measured. */
  causeStrip(tenant: TenantId, query: CauseStripQuery): Promise<Map<string, (Cause | null)[]>>;
  /** Agents with at least one verdict of a slow cause in each step, oldest first, over the whole tenant. */
  slowByStep(tenant: TenantId, window: TimeWindow & { stepMs: number }): Promise<number[]>;
  /** Verdicts of one agent as spans, oldest first; silence of ten minutes or more ends a span. */
  causeSpans(tenant: TenantId, query: TimeWindow & { agentId: string }): Promise<CauseSpan[]>;
}
