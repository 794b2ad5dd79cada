import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import type { Clock, RowsOfTable, TenantId } from '#kernel';
import type { ColumnStore, SeriesStore } from '#telemetry';
import { RETENTION_MS } from './domain/parse-result.ts';
import type { StoredResult } from './queries.ts';
import { EXPORT_RESULTS, type ResultRow, toStoredResult } from './result-sql.ts';
import type { ResultStore } from './store.ts';

const PAGE = 2000;
const DAY_MS = 86_400_000;
/** Before every result. */
const FIRST = { type: '', agent: '', at: 0, id: '00000000-0000-0000-0000-000000000000' };

/**
 * Every result of a tenant within retention, each once, a day after the other and within it in the order of the table: a page reads on from
 * where the one before ended.
 */
export async function* readAllResults(
  { store, clock }: { store: ColumnStore; clock: Clock },
  tenant: TenantId,
): AsyncGenerator<StoredResult[]> {
  const beginMs = clock.now() - RETENTION_MS;
  for (let day = Math.floor(beginMs / DAY_MS) * DAY_MS; day < clock.now() + DAY_MS; day += DAY_MS) {
    const times = { fromMs: Math.max(day, beginMs), toMs: day + DAY_MS };
    for (let after = FIRST; ; ) {
      const rows = await store.read<ResultRow>(tenant, EXPORT_RESULTS, { ...times, limit: PAGE, ...after });
      if (rows.length > 0) yield rows.map(toStoredResult);
      const last = rows[PAGE - 1];
      if (!last) break;
      after = { type: last.type, agent: last.agent, at: last.at, id: last.id };
    }
  }
}

/** A stored result as it was sent: the envelope of the bus, which is that of the API. */
export const toCanonical = (tenant: TenantId, result: StoredResult): CanonicalResult => ({
  result_id: result.resultId,
  tenant_id: tenant,
  agent_id: result.agentId,
  canary_type: result.type,
  ...(result.testId === undefined ? {} : { test_id: result.testId }),
  ...(result.serverAddress === undefined ? {} : { server_address: result.serverAddress }),
  ...(result.serverPort === undefined ? {} : { server_port: result.serverPort }),
  ...(result.success === undefined ? {} : { success: result.success }),
  ...(result.error === undefined ? {} : { error: result.error }),
  started_at: new Date(result.startedAtMs).toISOString(),
  ...(result.durationMs === undefined ? {} : { duration_ms: result.durationMs }),
  present: result.present,
  metrics: result.metrics,
  attributes: result.attributes,
});

/**
 * A tenant's results as they were sent, then the hours of its series, which outlive them. Samples are left out: each is a number of a
 * result. What comes in meanwhile may or may not be in it.
 */
export async function* exportResults(
  { store, series }: { store: Pick<ResultStore, 'all'>; series: Pick<SeriesStore, 'exportHours'> },
  tenant: TenantId,
): AsyncGenerator<RowsOfTable> {
  for await (const results of store.all(tenant))
    yield { table: 'results', rows: results.map((result) => ({ ...toCanonical(tenant, result) })) };
  for await (const hours of series.exportHours(tenant)) {
    const rows = hours.map(({ startMs, ...hour }) => ({ ...hour, started_at: new Date(startMs).toISOString() }));
    yield { table: 'sample_hours', rows };
  }
}
