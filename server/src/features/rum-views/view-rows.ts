import { VITALS } from '@svc/contracts/rum/kinds';
import type { TenantId } from '#kernel';
import { type Block, type ColumnBuilder, newColumn } from '#telemetry';
import type { ViewRow } from './domain/read-view.ts';

const TYPES = {
  tenant_id: 'LowCardinality(String)',
  app: 'LowCardinality(String)',
  host: 'LowCardinality(String)',
  ts: 'DateTime64(3)',
  result_id: 'UUID',
  page: 'LowCardinality(String)',
  browser: 'LowCardinality(String)',
  lcp: 'Float64',
  inp: 'Float64',
  cls: 'Float64',
  ttfb: 'Float64',
  fcp: 'Float64',
  load: 'Float64',
  errors: 'UInt16',
  failed_requests: 'UInt16',
  stored_at: 'DateTime64(3)',
} as const;

type Columns = { [Name in keyof typeof TYPES]: ColumnBuilder<(typeof TYPES)[Name]> };
const NAMES = Object.keys(TYPES) as (keyof Columns)[];

/** Views as one block of the table; without a time they are stored when they were received. */
export function buildViewBlock(views: Iterable<readonly [TenantId, ViewRow]>, storedAtMs: number | undefined): Block {
  const columns = Object.fromEntries(NAMES.map((name) => [name, newColumn(TYPES[name])])) as unknown as Columns;
  for (const [tenant, view] of views) {
    columns.tenant_id.push(tenant);
    columns.app.push(view.app);
    columns.host.push(view.host);
    columns.ts.push(view.receivedAtMs);
    columns.result_id.push(view.resultId);
    columns.page.push(view.page);
    columns.browser.push(view.browser);
    for (const vital of VITALS) columns[vital].push(view.vitals[vital] ?? Number.NaN);
    columns.errors.push(view.errors);
    columns.failed_requests.push(view.failedRequests);
    columns.stored_at.push(storedAtMs ?? view.receivedAtMs);
  }
  return {
    table: 'rum_views',
    rows: columns.ts.length,
    columns: NAMES.map((name) => ({ name, type: TYPES[name], values: columns[name] })),
  };
}
