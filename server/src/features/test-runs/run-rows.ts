import { PHASES } from '@svc/contracts/tests/run-report';
import type { TenantId } from '#kernel';
import { type Block, type ColumnBuilder, newColumn } from '#telemetry';
import type { RunRow } from './domain/read-run.ts';

const TYPES = {
  tenant_id: 'LowCardinality(String)',
  test_id: 'UUID',
  runner_id: 'LowCardinality(String)',
  ts: 'DateTime64(3)',
  result_id: 'UUID',
  version: 'UInt32',
  outcome: 'UInt8',
  on_demand: 'UInt8',
  fault: 'LowCardinality(String)',
  error: 'String',
  total_ms: 'Float64',
  dns_ms: 'Float64',
  connect_ms: 'Float64',
  tls_ms: 'Float64',
  first_byte_ms: 'Float64',
  transfer_ms: 'Float64',
  figures: 'Map(LowCardinality(String), Float64)',
  address: 'String',
  certificate: 'String',
  assertions: 'String',
} as const;

type Columns = { [Name in keyof typeof TYPES]: ColumnBuilder<(typeof TYPES)[Name]> };
const NAMES = Object.keys(TYPES) as (keyof Columns)[];

export const OUTCOMES = { failed: 0, passed: 1, notRun: 2 } as const;
export const outcomeOf = ({ notRun, success }: Pick<RunRow, 'notRun' | 'success'>): number =>
  notRun ? OUTCOMES.notRun : success ? OUTCOMES.passed : OUTCOMES.failed;

/** Runs as one block of the table. */
export function buildRunBlock(runs: Iterable<readonly [TenantId, RunRow]>): Block {
  const columns = Object.fromEntries(NAMES.map((name) => [name, newColumn(TYPES[name])])) as unknown as Columns;
  for (const [tenant, run] of runs) {
    columns.tenant_id.push(tenant);
    columns.test_id.push(run.testId);
    columns.runner_id.push(run.runnerId);
    columns.ts.push(run.startedAtMs);
    columns.result_id.push(run.resultId);
    columns.version.push(run.version);
    columns.outcome.push(outcomeOf(run));
    columns.on_demand.push(run.onDemand ? 1 : 0);
    columns.fault.push(run.fault ?? '');
    columns.error.push(run.error ?? '');
    columns.total_ms.push(run.totalMs);
    for (const phase of PHASES) columns[`${phase}_ms`].push(run.phases[phase] ?? Number.NaN);
    columns.figures.push(run.figures);
    columns.address.push(run.address ?? '');
    columns.certificate.push(run.certificate ? JSON.stringify(run.certificate) : '');
    columns.assertions.push(run.assertions.length > 0 ? JSON.stringify(run.assertions) : '');
  }
  return {
    table: 'test_runs',
    rows: columns.ts.length,
    columns: NAMES.map((name) => ({ name, type: TYPES[name], values: columns[name] })),
  };
}
