import { ENDPOINT_TYPES } from '@svc/contracts/results/canonical-result';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import { checkWindow } from './check-query.ts';
import { listPhases } from './domain/session-totals.ts';
import type { SessionTotals, StoredResult, TimeWindow } from './queries.ts';
import { AGENT_IN_WINDOW, RESULT_COLUMNS, type ResultRow, toStoredResult } from './result-sql.ts';

/** Seven types, of which two have at most 101 targets each. */
const MAX_NEWEST = 1000;
/** A month of sessions to eight targets, one in five minutes. */
const MAX_SESSIONS = 20_000;
const MAX_TARGETS = 1000;

// The inner query reads no map: the maps of a month would be a hundred times the rest.
const NEWEST = `SELECT ${RESULT_COLUMNS} FROM results
  WHERE ${AGENT_IN_WINDOW} AND canary_type IN {types:Array(String)} AND (canary_type, ts, result_id) IN (
    SELECT canary_type, tupleElement(max((ts, result_id)), 1), tupleElement(max((ts, result_id)), 2) FROM results
    WHERE ${AGENT_IN_WINDOW} AND canary_type IN {types:Array(String)} GROUP BY canary_type, target)
  ORDER BY canary_type, target LIMIT 1 BY canary_type, target`;

const SESSIONS = `SELECT target, success != 0 AS succeeded, attributes['error.phase'] AS phase,
    if(mapContains(metrics, 'total.ms'), metrics['total.ms'], NULL) AS total FROM results
  WHERE ${AGENT_IN_WINDOW} AND canary_type = 'endpoint.session' AND (present = 1 OR success = 0)
  ORDER BY ts DESC, result_id DESC LIMIT 1 BY result_id LIMIT ${MAX_SESSIONS}`;

const TOTALS = `SELECT target, count() AS count, countIf(not succeeded) AS failed, sumMapIf(map(phase, 1), not succeeded) AS phases,
    quantileExactInclusiveIf(0.5)(total, succeeded) AS median, maxIf(total, succeeded) AS worst
  FROM (${SESSIONS}) GROUP BY target ORDER BY target`;

interface TotalsRow {
  target: string;
  count: number;
  failed: number;
  phases: Record<string, number>;
  median: number | null;
  worst: number | null;
}

type Query = TimeWindow & { agentId: string };

/** What one agent measured in a window, from the raw results: each a bounded number of short ranges of the table. */
export const createWindowReads = (store: ColumnStore) => ({
  async newestIn(tenant: TenantId, { agentId: agent, fromMs, toMs }: Query): Promise<StoredResult[]> {
    checkWindow({ fromMs, toMs });
    const params = { agent, fromMs, toMs, types: [...ENDPOINT_TYPES] };
    return (await store.read<ResultRow>(tenant, NEWEST, params, { maxRows: MAX_NEWEST })).map(toStoredResult);
  },
  async sessionTotals(tenant: TenantId, { agentId: agent, fromMs, toMs }: Query): Promise<SessionTotals[]> {
    checkWindow({ fromMs, toMs });
    const rows = await store.read<TotalsRow>(tenant, TOTALS, { agent, fromMs, toMs }, { maxRows: MAX_TARGETS });
    return rows.map(({ target, count, failed, phases, median, worst }) => ({
      ...{ target, count, failed, phases: listPhases(phases) },
      ...{ medianMs: median, worstMs: worst },
    }));
  },
});
