import { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { toCanonicalResult } from '@svc/contracts/tests/canonical-run';
import { RunReport } from '@svc/contracts/tests/run-report';

/** Older ones would be past their retention at once. */
const MAX_AGE_MS = 31 * 86_400_000;

export interface ReportAdmission {
  /** Of the runner's certificate; what the report claims does not count. */
  runnerId: string;
  /** Whether the runner's plan has a test of this id, or had it a while ago. */
  mayReport: (id: string) => boolean;
  receivedMs: number;
}

/** No text may hold what a store refuses, however deep it lies. */
function isClean(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  if (Array.isArray(value)) return value.every(isClean);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).every(([key, one]) => isClean(key) && isClean(one));
  return typeof value !== 'number' || Number.isFinite(value);
}

/** A report of a runner elsewhere as it may be published, with times in the future clamped to the receipt; or why it is refused. */
export function admitReport(
  json: unknown,
  { runnerId, mayReport, receivedMs }: ReportAdmission,
): RunReport | { refused: string } {
  const parsed = RunReport.safeParse(json);
  if (!parsed.success) return { refused: 'it is no report of a run' };
  // Ids are compared as texts further on.
  const report = { ...parsed.data, result_id: parsed.data.result_id.toLowerCase(), test_id: parsed.data.test_id.toLowerCase() };
  if (Object.keys(report.figures).length > 200) return { refused: 'it has too many figures' };
  if (!isClean(report)) return { refused: 'it holds what is no text' };
  // Else it would be acknowledged here and set aside behind the bus.
  if (!CanonicalResult.safeParse(toCanonicalResult(report, '')).success) return { refused: 'it does not fit into a result' };
  if (!mayReport(report.test_id)) return { refused: 'its test is not in the plan of this runner' };
  const startedMs = Math.min(Date.parse(report.started_at), receivedMs);
  if (startedMs < receivedMs - MAX_AGE_MS) return { refused: 'it is more than 31 days old' };
  const plannedMs = Math.min(Date.parse(report.planned_at), startedMs);
  return {
    ...report,
    runner_id: runnerId,
    started_at: new Date(startedMs).toISOString(),
    planned_at: new Date(plannedMs).toISOString(),
    // What a person asked for is answered on the stream that it was asked on.
    on_demand: false,
  };
}
