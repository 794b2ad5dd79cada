import { AppError, type TenantId } from '#kernel';
import type { ColumnStore, TenantReaders } from '#telemetry';
import type { Matcher, MetricKind } from './api.ts';

/** What the verbs of this slice work with. */
export interface MetricStore {
  store: ColumnStore;
  readers: TenantReaders;
  clock: { now(): number };
  /** Days that points of applications are kept. */
  keptDays: number;
}

/** From (inclusive) to (exclusive), Unix milliseconds. */
export interface TimeWindow {
  fromMs: number;
  toMs: number;
}

/** Series that one question may read, and series that it may answer with. */
export const MAX_MATCHED = 10_000;
export const MAX_SERIES = 1000;
const MAX_WINDOW_MS = 400 * 86_400_000;
const DEFAULT_WINDOW_MS = 3_600_000;

export interface SeriesRow {
  /** Fingerprint, decimal. */
  id: string;
  kind: MetricKind;
  unit: string;
  otel_name: string;
  description: string;
  labels: Record<string, string>;
}

/** One question to the store, in its tenant's line. */
export const ask = <Row>(
  { store, readers }: Pick<MetricStore, 'store' | 'readers'>,
  tenant: TenantId,
  question: { sql: string; params: Record<string, unknown>; maxRows?: number },
): Promise<Row[]> =>
  readers.use(tenant, () =>
    store.read<Row>(tenant, question.sql, question.params, question.maxRows ? { maxRows: question.maxRows } : {}),
  );

/** The window that was asked for; `validation` unless it ends after it begins, within 400 days. */
export function windowOf({ from, to }: { from?: string | undefined; to?: string | undefined }, nowMs: number): TimeWindow {
  const toMs = to === undefined ? nowMs : Date.parse(to);
  const fromMs = from === undefined ? toMs - DEFAULT_WINDOW_MS : Date.parse(from);
  if (toMs <= fromMs) throw new AppError('validation', 'A window ends after it begins.');
  if (toMs - fromMs > MAX_WINDOW_MS) throw new AppError('validation', 'A window has at most 400 days.');
  return { fromMs, toMs };
}

const monthOf = (ms: number): number => {
  const date = new Date(ms);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
};

/** Rows of metric_series with points in the window; a series is written again in each month that it has points in. */
export const inWindow = ({ fromMs, toMs }: TimeWindow) => ({
  where: 'tenant_id = {tenant:String} AND month BETWEEN {firstMonth:UInt32} AND {lastMonth:UInt32}',
  params: { firstMonth: monthOf(fromMs), lastMonth: monthOf(toMs - 1) },
});

// What JavaScript takes and RE2 does not: look-around and back-references.
const NOT_RE2 = /\(\?<?[=!]|\\[1-9]|\\k</;

function checkPattern(pattern: string): void {
  try {
    new RegExp(pattern, 'u');
    if (!NOT_RE2.test(pattern)) return;
  } catch {
    // Told below.
  }
  throw new AppError('validation', `Not a pattern that can be searched for: ${pattern.slice(0, 100)}`);
}

/** Conditions on labels; names and values go as parameters. */
export function matcherSql(matchers: readonly Matcher[]): { where: string; params: Record<string, unknown> } {
  const params: Record<string, unknown> = {};
  const parts = matchers.map(({ label, op, values }, i) => {
    const [value = ''] = values;
    if (op !== 'in' && values.length !== 1) throw new AppError('validation', `The condition on ${label} takes one value.`);
    params[`l${i}`] = label;
    const found = `labels[{l${i}:String}]`;
    if (op === 'in') {
      params[`v${i}`] = values;
      return `has({v${i}:Array(String)}, ${found})`;
    }
    if (op === '=' || op === '!=') {
      params[`v${i}`] = value;
      return `${found} ${op} {v${i}:String}`;
    }
    checkPattern(value);
    params[`v${i}`] = `^(?:${value})$`;
    return `${op === '!~' ? 'NOT ' : ''}match(${found}, {v${i}:String})`;
  });
  return { where: parts.join(' AND ') || '1', params };
}

/** ClickHouse's own word for a pattern that RE2 refuses. */
const CANNOT_COMPILE = '427';

/** Turns the store's refusal of a pattern into one that tells the person who wrote it. */
export function patternFault(error: unknown): never {
  const cause = error instanceof AppError ? error.cause : undefined;
  if (String(Reflect.get(Object(cause), 'code')) === CANNOT_COMPILE)
    throw new AppError('validation', 'One of the patterns cannot be searched for.', { cause: error });
  throw error;
}

/** The series of a metric that answer to the matchers; `unavailable` for more than one question may read. */
export async function selectSeries(
  deps: MetricStore,
  tenant: TenantId,
  { metric, matchers, window }: { metric: string; matchers: readonly Matcher[]; window: TimeWindow },
): Promise<SeriesRow[]> {
  const months = inWindow(window);
  const labels = matcherSql(matchers);
  const sql = `SELECT toString(fp) AS id, kind, unit, otel_name, description, labels FROM metric_series
    WHERE ${months.where} AND metric = {metric:String} AND ${labels.where}
    ORDER BY fp, month DESC LIMIT 1 BY fp LIMIT ${MAX_MATCHED + 1}`;
  const params = { metric, ...months.params, ...labels.params };
  const rows = await ask<SeriesRow>(deps, tenant, { sql, params }).catch(patternFault);
  if (rows.length > MAX_MATCHED)
    throw new AppError('unavailable', `More than ${MAX_MATCHED} series answer to this: narrow it by a label.`);
  return rows;
}
