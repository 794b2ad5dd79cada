import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import type { CanaryType, CanonicalResult } from '@svc/contracts/results/canonical-result';
import type { Cause } from '@svc/contracts/verdict';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import type { Clock, TenantId } from '#kernel';
import type { Fence, Relational } from '#relational';
import type { SeriesStore } from '#telemetry';

/** One result as the results slice gives it back; absent fields were not sent. */
export interface StoredResult {
  resultId: string;
  agentId: string;
  type: CanaryType;
  testId?: string;
  /** What was measured: host, port unless 80 or 443, path unless the root; '' without a target. */
  target: string;
  serverAddress?: string;
  serverPort?: number;
  success?: boolean;
  error?: string;
  startedAtMs: number;
  durationMs?: number;
  present: boolean;
  metrics: Record<string, number>;
  attributes: Record<string, string>;
}

/** From (inclusive) to (exclusive), Unix milliseconds. */
export interface TimeWindow {
  fromMs: number;
  toMs: number;
}

/** Sessions to one target in a window; those that failed count in no time. */
export interface SessionTotals {
  target: string;
  count: number;
  failed: number;
  phases: { phase: string | null; count: number }[];
  medianMs: number | null;
  worstMs: number | null;
}

export interface HistoryQuestion extends TimeWindow {
  agentId: string;
  type?: CanaryType;
  /** Only what comes before this result in time, among those of one millisecond by id. */
  before?: { startedAtMs: number; resultId: string };
  limit?: number;
}

/** What the results slice answers; tied in compose/. */
export interface ResultReads {
  latest(tenant: TenantId, agentId: string): Promise<StoredResult[]>;
  latestOf(tenant: TenantId, query: { agentIds: readonly string[] }): Promise<Map<string, StoredResult[]>>;
  /** The newest of each type and target in the window. */
  newestIn(tenant: TenantId, query: TimeWindow & { agentId: string }): Promise<StoredResult[]>;
  sessionTotals(tenant: TenantId, query: TimeWindow & { agentId: string }): Promise<SessionTotals[]>;
  /** Oldest first; the newest `limit` are kept. */
  history(tenant: TenantId, query: HistoryQuestion): Promise<StoredResult[]>;
  causeStrip(
    tenant: TenantId,
    query: TimeWindow & { agentIds: readonly string[]; stepMs: number },
  ): Promise<Map<string, (Cause | null)[]>>;
  slowByStep(tenant: TenantId, window: TimeWindow & { stepMs: number }): Promise<number[]>;
  causeSpans(tenant: TenantId, query: TimeWindow & { agentId: string }): Promise<(TimeWindow & { cause: Cause })[]>;
}

export interface SharedScope {
  plane: 'endpoint';
  kind: 'endpoint.shared_cause';
  scope: string;
}

/** All that fails in a scope goes to the incidents, by the holder of the fence alone. */
export type SettleShared = (
  tenant: TenantId,
  scope: SharedScope & { fence?: Fence },
  present: readonly RaisedSignal[],
) => Promise<void>;

/** What compose/ gives to `createEndpoint`. */
export interface EndpointDeps {
  relational: Relational;
  bus: Bus;
  results: ResultReads;
  /** A stored result in the form of the API, which is the envelope of the bus. */
  toCanonical: (tenant: TenantId, result: StoredResult) => CanonicalResult;
  series: SeriesStore;
  /** Takes what slow devices share as signals; without it nothing is raised. */
  settle?: SettleShared;
  /** Results of a tenant are in the view. */
  onViewed: (tenant: TenantId, count: number) => void;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** The slice's own parts beside what it was given. */
export interface EndpointContext extends EndpointDeps {
  /** The newest version that any agent of the tenant runs, up to a minute old: what older ones are outdated beside. */
  newestVersionOf: (tenant: TenantId) => Promise<string | null>;
}
