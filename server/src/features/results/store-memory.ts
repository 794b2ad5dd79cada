import { targetOf } from '@svc/contracts/result-target';
import type { Cause } from '@svc/contracts/verdict';
import type { TenantId } from '#kernel';
import { type SeriesStore, seriesKey } from '#telemetry';
import { checkAgents, checkWindow, historyLimit, stepsOf } from './check-query.ts';
import { metricSeriesOf } from './domain/metric-series.ts';
import type { TimedResult } from './domain/parse-result.ts';
import { spansOf } from './domain/rule-causes.ts';
import { sumSessions } from './domain/session-totals.ts';
import type { StoredResult, TimeWindow } from './queries.ts';
import type { ResultStore } from './store.ts';
import type { Targets } from './targets.ts';

/** Results kept over all tenants; the oldest stored go first. */
const MAX_RESULTS = 200_000;

const SLOW: ReadonlySet<string> = new Set(['wifi', 'local', 'isp', 'network']);

function toStored({ result, startedAtMs }: TimedResult, target: string): StoredResult {
  const { result_id, agent_id, canary_type, test_id, server_address, server_port, success, error, duration_ms } = result;
  return {
    resultId: result_id.toLowerCase(),
    agentId: agent_id,
    type: canary_type,
    target,
    startedAtMs,
    present: result.present,
    metrics: result.metrics,
    attributes: result.attributes,
    ...(test_id === undefined ? {} : { testId: test_id }),
    ...(server_address === undefined ? {} : { serverAddress: server_address }),
    ...(server_port === undefined ? {} : { serverPort: server_port }),
    ...(success === undefined ? {} : { success }),
    ...(error === undefined ? {} : { error }),
    ...(duration_ms === undefined ? {} : { durationMs: duration_ms }),
  };
}

const byTime = (a: StoredResult, b: StoredResult): number => a.startedAtMs - b.startedAtMs || (a.resultId < b.resultId ? -1 : 1);
const inWindow = (result: StoredResult, { fromMs, toMs }: TimeWindow): boolean =>
  result.startedAtMs >= fromMs && result.startedAtMs < toMs;
const causeOf = (result: StoredResult): Cause | undefined =>
  result.type === 'endpoint.attribution' ? (result.attributes['endpoint.cause'] as Cause | undefined) : undefined;

/** The cause of most verdicts, the later on a tie; `verdicts` oldest first. */
function rulingCause(verdicts: readonly StoredResult[]): Cause | null {
  const counts = new Map<Cause, number>();
  let ruling: Cause | null = null;
  for (const verdict of verdicts) {
    const cause = causeOf(verdict);
    if (cause !== undefined) counts.set(cause, (counts.get(cause) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  for (const verdict of verdicts) {
    const cause = causeOf(verdict);
    if (cause !== undefined && counts.get(cause) === most) ruling = cause;
  }
  return ruling;
}

function newestOfEach(results: readonly StoredResult[]): StoredResult[] {
  const newest = new Map<string, StoredResult>();
  for (const result of results) {
    const key = `${result.type}\0${result.target}`;
    const known = newest.get(key);
    if (!known || byTime(known, result) < 0) newest.set(key, result);
  }
  return [...newest.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, result]) => result);
}

/** Results in the memory of this process, bounded: for machines without a build of chDB. Reads go over all that is kept. */
export function createMemoryStore(
  { series, targets }: { series: SeriesStore; targets: Targets },
  maxResults = MAX_RESULTS,
): ResultStore {
  const kept = new Map<string, { tenant: TenantId; result: StoredResult }>();

  const ofTenant = (tenant: TenantId, wanted: (result: StoredResult) => boolean): StoredResult[] =>
    [...kept.values()].filter((entry) => entry.tenant === tenant && wanted(entry.result)).map((entry) => entry.result);

  function keep(tenant: TenantId, timed: TimedResult, target: string): void {
    const stored = toStored(timed, target);
    kept.set(`${tenant}\0${stored.resultId}`, { tenant, result: stored });
    if (kept.size > maxResults) kept.delete(kept.keys().next().value ?? '');
  }

  const latest = async (tenant: TenantId, agentId: string) =>
    newestOfEach(ofTenant(tenant, (result) => result.agentId === agentId));

  return {
    newBatch: () => newMemoryBatch({ series, targets }, keep),
    async *all(tenant) {
      const results = ofTenant(tenant, () => true);
      if (results.length > 0) yield results;
    },
    latest,
    async latestOf(tenant, { agentIds }) {
      checkAgents(agentIds);
      const entries = await Promise.all(agentIds.map(async (id) => [id, await latest(tenant, id)] as const));
      return new Map(entries.filter(([, results]) => results.length > 0));
    },
    async newestIn(tenant, query) {
      checkWindow(query);
      return newestOfEach(ofTenant(tenant, (result) => result.agentId === query.agentId && inWindow(result, query)));
    },
    async sessionTotals(tenant, query) {
      checkWindow(query);
      const isOne = (result: StoredResult) => result.type === 'endpoint.session' && result.agentId === query.agentId;
      return sumSessions(ofTenant(tenant, (result) => isOne(result) && inWindow(result, query)));
    },
    async history(tenant, query) {
      checkWindow(query);
      const { agentId, type, target } = query;
      const wanted = (r: StoredResult) =>
        r.agentId === agentId && inWindow(r, query) && (type ?? r.type) === r.type && (target ?? r.target) === r.target;
      return ofTenant(tenant, wanted).sort(byTime).slice(-historyLimit(query.limit));
    },
    async causeStrip(tenant, query) {
      const steps = stepsOf(query);
      checkAgents(query.agentIds);
      const stripOf = (id: string): (Cause | null)[] => {
        const verdicts = ofTenant(tenant, (r) => r.agentId === id && causeOf(r) !== undefined && inWindow(r, query)).sort(byTime);
        const stepAt = (r: StoredResult) => Math.floor((r.startedAtMs - query.fromMs) / query.stepMs);
        return Array.from({ length: steps }, (_, step) => rulingCause(verdicts.filter((r) => stepAt(r) === step)));
      };
      return new Map(query.agentIds.map((id) => [id, stripOf(id)]));
    },
    async slowByStep(tenant, window) {
      const agents = Array.from({ length: stepsOf(window) }, () => new Set<string>());
      for (const result of ofTenant(tenant, (r) => SLOW.has(causeOf(r) ?? '') && inWindow(r, window))) {
        agents[Math.floor((result.startedAtMs - window.fromMs) / window.stepMs)]?.add(result.agentId);
      }
      return agents.map((set) => set.size);
    },
    async causeSpans(tenant, query) {
      checkWindow(query);
      const verdicts = ofTenant(
        tenant,
        (r) => r.agentId === query.agentId && causeOf(r) !== undefined && inWindow(r, query),
      ).sort(byTime);
      return spansOf(
        verdicts.map((r) => ({ at: r.startedAtMs, cause: causeOf(r) as Cause })),
        query.toMs,
      );
    },
  };
}

function newMemoryBatch(
  { series, targets }: { series: SeriesStore; targets: Targets },
  keep: (tenant: TenantId, timed: TimedResult, target: string) => void,
): ReturnType<ResultStore['newBatch']> {
  const results: [TenantId, TimedResult, string][] = [];
  const samples = series.batch();
  return {
    add(tenant, timed) {
      const { agent_id: agent, canary_type: type, test_id: test, metrics } = timed.result;
      const target = targets.labelOf({ tenant, agent, target: targetOf(timed.result) });
      results.push([tenant, timed, target]);
      samples.begin({ tenant, agent, target, ...(test && { test }) }, timed.startedAtMs);
      for (const [name, value] of Object.entries(metrics)) {
        const found = metricSeriesOf(type, name);
        if (found) samples.add(seriesKey(found.metric, found.labels), value);
      }
    },
    async write() {
      for (const [tenant, timed, target] of results) keep(tenant, timed, target);
      await samples.write();
    },
  };
}
