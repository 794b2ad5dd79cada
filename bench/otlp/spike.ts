// What the bounds of queries.ts are of: one statement of a spike each, over few large parts of its own tables; here over ours.

import { RARE } from './fill.ts';

export interface Bound {
  /** Milliseconds that the spike measured. */
  ms: number;
  /** Its statement, of the last so many hours; `{nobody:String}` is somebody else each time. */
  sql?: string;
  hours?: number;
}

const WITHIN =
  'tenant_id = {tenant:String} AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}) AND ts < fromUnixTimestamp64Milli({toMs:Int64})';
const QUANTILES = (where: string): string => `SELECT toStartOfInterval(ts, INTERVAL 5 MINUTE) AS b, count(),
    quantiles(0.5, 0.95, 0.99)(duration_ns) FROM spans WHERE ${where} GROUP BY b ORDER BY b`;

export const BOUNDS = {
  trace: { ms: 28 },
  ofService: { ms: 16, sql: QUANTILES(`${WITHIN} AND service = 'payment'`), hours: 24 },
  ofAll: { ms: 354, sql: QUANTILES(WITHIN), hours: 48 },
  slowest: {
    ms: 33,
    sql: `SELECT ts, service, name, duration_ns FROM spans WHERE ${WITHIN} ORDER BY duration_ns DESC LIMIT 50`,
    hours: 24,
  },
  attribute: {
    ms: 1050,
    sql: `SELECT ts, name FROM spans WHERE ${WITHIN} AND attributes['enduser.id'] = {nobody:String}`,
    hours: 48,
  },
  rareWord: { ms: 5, sql: `SELECT ts, body FROM logs WHERE ${WITHIN} AND hasAllTokens(body, ['${RARE}']) LIMIT 100`, hours: 48 },
  commonWord: {
    ms: 48,
    sql: `SELECT ts, severity_text, body FROM logs WHERE ${WITHIN} AND service = 'cart' AND hasToken(body, 'timeout')
      ORDER BY ts DESC LIMIT 100`,
    hours: 24,
  },
  commonWords: {
    ms: 48,
    sql: `SELECT count() FROM logs WHERE ${WITHIN} AND hasAllTokens(body, ['gateway', 'timeout', 'refused'])`,
    hours: 24,
  },
  metric: {
    ms: 31,
    sql: `SELECT toStartOfInterval(ts, INTERVAL 1 MINUTE) AS b, avg(value) FROM metric_points
      WHERE ${WITHIN} AND metric = 'app_metric_2' GROUP BY b ORDER BY b`,
    hours: 6,
  },
} as const satisfies Record<string, Bound>;
