import { AppError, type TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';
import type { Matcher } from '../api.ts';
import { monthsOf, type TimeWindow } from '../domain/window.ts';
import type { SeriesQuestion } from '../reader.ts';

/** What the column store's reader works with. */
export interface MetricStore {
  store: ColumnStore;
  clock: { now(): number };
  /** Days that points of applications are kept. */
  keptDays: number;
  /** Most points of a question that are worked on here; more are left to the store. Left out: 250,000, which are 6 MB. */
  pointsAtOnce?: number;
}

/** One question to the store, in its tenant's line. */
export const ask = <Row>(
  { store }: Pick<MetricStore, 'store'>,
  tenant: TenantId,
  question: { sql: string; params: Record<string, unknown>; maxRows?: number },
): Promise<Row[]> =>
  store.read<Row>(tenant, question.sql, question.params, question.maxRows ? { maxRows: question.maxRows } : {});

/** Rows of metric_series with points in the window; a series is written again in each month that it has points in. */
export const inWindow = (window: TimeWindow) => {
  const { first, last } = monthsOf(window);
  return {
    where: 'tenant_id = {tenant:String} AND month BETWEEN {firstMonth:UInt32} AND {lastMonth:UInt32}',
    params: { firstMonth: first, lastMonth: last },
  };
};

/** Rows of metric_series that answer to a question, as a condition. */
export function ofSeries({ metric, matchers, window }: Pick<SeriesQuestion, 'metric' | 'matchers' | 'window'>) {
  const months = inWindow(window);
  const labels = matcherSql(matchers);
  return {
    where: `${months.where} AND metric = {metric:String} AND ${labels.where}`,
    params: { metric, ...months.params, ...labels.params },
  };
}

/** Conditions on labels; names and values go as parameters. */
function matcherSql(matchers: readonly Matcher[]): { where: string; params: Record<string, unknown> } {
  const params: Record<string, unknown> = {};
  const parts = matchers.map(({ label, op, values }, i) => {
    const [value = ''] = values;
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
