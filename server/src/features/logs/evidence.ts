import type { EvidenceQuestion, LogPatternFact, PlaneEvidence } from '@svc/contracts/causes/facts';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** What logs know about an incident (docs/causes.md): lines that are new, or far more frequent than before. */

const MAX_SERVICES = 20;
const MAX_PATTERNS = 5;
const MAX_PATTERN = 300;
const MIN_LINES = 3;
/** More often than before by this much counts as new. */
const RARE = 5;
const USUAL_MS = 3_600_000;
const WARN = 13;

/** Stands for numbers and ids, which lines that say the same differ in. A parameter: in the text of a query it would begin a comment. */
const GAP = '#';
const PATTERN = `replaceRegexpAll(replaceRegexpAll(substringUTF8(body, 1, ${MAX_PATTERN}), '[0-9a-fA-F]{8,}(-[0-9a-fA-F]{4,})*', {gap:String}), '[0-9]+', {gap:String})`;

const PATTERNS = `SELECT toString(service) AS service, pattern, max(severity) AS severity, countIf(isNow) AS lines, countIf(NOT isNow) AS usual,
    toUnixTimestamp64Milli(toDateTime64(minIf(ts, isNow), 3)) AS at
  FROM (SELECT service, ${PATTERN} AS pattern, severity, ts, ts >= fromUnixTimestamp64Milli({sinceMs:Int64}) AS isNow FROM logs
    WHERE tenant_id = {tenant:String} AND service IN {services:Array(String)} AND severity >= ${WARN}
      AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64}))
  GROUP BY service, pattern
  HAVING lines >= ${MIN_LINES} AND lines / greatest({nowMinutes:Float64}, 1) >= ${RARE} * usual / greatest({usualMinutes:Float64}, 1)
  ORDER BY lines DESC, service, pattern LIMIT ${MAX_PATTERNS}`;

interface Row {
  service: string;
  pattern: string;
  severity: number;
  lines: number;
  usual: number;
  at: number;
}

const MINUTE_MS = 60_000;
/** Lines may come a little before the harm is noticed. */
const EARLIER_MS = 5 * MINUTE_MS;

const wordOf = (severity: number): LogPatternFact['severity'] => (severity >= 21 ? 'fatal' : severity >= 17 ? 'error' : 'warn');

export async function findLogEvidence(
  store: ColumnStore,
  tenant: TenantId,
  { services, fromMs, sinceMs, toMs }: EvidenceQuestion,
): Promise<PlaneEvidence> {
  if (services.length === 0) return { plane: 'logs', facts: [], notMeasured: ['No service is known whose lines could be read.'] };
  const begunMs = sinceMs - EARLIER_MS;
  const firstMs = Math.max(fromMs, begunMs - USUAL_MS);
  const params = {
    ...{ services: services.slice(0, MAX_SERVICES), fromMs: firstMs, sinceMs: begunMs, toMs, gap: GAP },
    ...{ nowMinutes: (toMs - begunMs) / MINUTE_MS, usualMinutes: (begunMs - firstMs) / MINUTE_MS },
  };
  const rows = await store.read<Row>(tenant, PATTERNS, params, { background: true });
  const facts = rows.map(
    (row): LogPatternFact => ({
      kind: 'log.pattern',
      ...{ service: row.service, pattern: row.pattern, severity: wordOf(row.severity) },
      ...{ count: row.lines, usualCount: row.usual, atMs: Number(row.at) },
    }),
  );
  return { plane: 'logs', facts, notMeasured: [] };
}
