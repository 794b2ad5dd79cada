import type { EvidenceQuestion, OperationFact, PlaneEvidence } from '@svc/contracts/causes/facts';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** What traces know about an incident (docs/causes.md): the operations that are worst against their own usual. */

const MAX_SERVICES = 20;
const MAX_OPERATIONS = 5;
/** What is usual is of this time before the harm. */
const USUAL_MS = 3_600_000;
const MIN_CALLS = 10;
const MAX_NAME = 120;

/** Spans by which services answer, in two windows at once; the sort key of the table makes both a range of its granules. */
const OPERATIONS = `SELECT toString(service) AS service, toString(name) AS operation,
    countIf(isNow) AS calls, countIf(isNow AND status = 2) AS errors,
    countIf(NOT isNow) AS usual_calls, countIf(NOT isNow AND status = 2) AS usual_errors,
    quantileTDigestIf(0.95)(duration_ns, isNow) / 1e6 AS p95, quantileTDigestIf(0.95)(duration_ns, NOT isNow) / 1e6 AS usual_p95
  FROM (SELECT service, name, duration_ns, status, ts >= fromUnixTimestamp64Milli({sinceMs:Int64}) AS isNow FROM spans
    WHERE tenant_id = {tenant:String} AND service IN {services:Array(String)} AND kind IN (2, 5)
      AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64}))
  GROUP BY service, name HAVING calls >= ${MIN_CALLS}
    AND ((usual_calls >= ${MIN_CALLS} AND p95 >= 2 * usual_p95 AND p95 - usual_p95 >= 20)
      OR (errors >= 0.05 * calls AND errors / calls >= 2 * usual_errors / greatest(usual_calls, 1)))
  ORDER BY errors / calls + log2(greatest(p95 / greatest(usual_p95, 1), 1)) DESC, service, operation LIMIT ${MAX_OPERATIONS}`;

interface Row {
  service: string;
  operation: string;
  calls: number;
  errors: number;
  usual_calls: number;
  usual_errors: number;
  p95: number;
  usual_p95: number | null;
}

export async function findTraceEvidence(
  store: ColumnStore,
  tenant: TenantId,
  { services, fromMs, sinceMs, toMs }: EvidenceQuestion,
): Promise<PlaneEvidence> {
  if (services.length === 0) return { plane: 'otlp', facts: [], notMeasured: [] };
  const params = { services: services.slice(0, MAX_SERVICES), fromMs: Math.max(fromMs, sinceMs - USUAL_MS), sinceMs, toMs };
  const rows = await store.read<Row>(tenant, OPERATIONS, params, { background: true });
  const facts = rows.map(
    (row): OperationFact => ({
      kind: 'operation',
      ...{ service: row.service, operation: row.operation.slice(0, MAX_NAME), atMs: sinceMs },
      ...{ calls: row.calls, errors: row.errors, p95Ms: row.p95 },
      usualP95Ms: row.usual_calls >= MIN_CALLS && row.usual_p95 !== null && Number.isFinite(row.usual_p95) ? row.usual_p95 : null,
      usualErrorRatio: row.usual_calls === 0 ? 0 : row.usual_errors / row.usual_calls,
    }),
  );
  return { plane: 'otlp', facts, notMeasured: [] };
}
