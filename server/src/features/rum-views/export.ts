import type { PagedTable } from '#relational';
import { type ExportedColumns, minutesOfTime, stretchesOfNumber } from '#telemetry';

const PAGE_ROWS = 5000;

export const VIEWS: ExportedColumns = {
  table: 'rum_views',
  select:
    'app, host, ts AS received_at, toString(result_id) AS result_id, page, browser, lcp, inp, cls, ttfb, fcp, load, errors, failed_requests, stored_at',
  key: [
    ['ts', 'DateTime64(3)'],
    ['app', 'String'],
    ['host', 'String'],
    ['result_id', 'UUID'],
  ],
  stretch: minutesOfTime('ts'),
  pageRows: PAGE_ROWS,
};

/** Without the sketches, which say nothing outside of the store. */
export const HOURS: ExportedColumns = {
  table: 'rum_hours',
  select: 'app, host, dimension, part, hour, views, hurt, with_errors, with_failed, errors, failed_requests, counts, good, poor',
  key: [
    ['hour', 'UInt32'],
    ['app', 'String'],
    ['host', 'String'],
    ['dimension', 'UInt8'],
    ['part', 'String'],
  ],
  stretch: stretchesOfNumber('hour', 24),
  newest: 'version DESC',
  pageRows: PAGE_ROWS,
};

export const TABLES: readonly PagedTable[] = [
  { table: 'rum_hosts', columns: ['app', 'host', 'first_at', 'last_at'], key: ['app', 'host'] },
  {
    table: 'rum_verdicts',
    columns: ['app', 'host', 'verdict', 'sufficient', 'since', 'judged_at', 'users', 'tests', 'episode'],
    key: ['app', 'host'],
  },
  {
    table: 'rum_verdict_spans',
    columns: ['app', 'host', 'from_at', 'verdict', 'sufficient', 'users', 'tests', 'signalled'],
    key: ['app', 'host', 'from_at'],
  },
];
