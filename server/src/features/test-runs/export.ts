import { type ExportedColumns, minutesOfTime, stretchesOfNumber } from '#telemetry';

const PAGE_ROWS = 2000;

export const RUNS: ExportedColumns = {
  table: 'test_runs',
  select: `toString(test_id) AS test_id, runner_id, ts AS started_at, toString(result_id) AS result_id, version, outcome, on_demand, fault, error,
    total_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, transfer_ms, figures, address, certificate, assertions`,
  key: [
    ['ts', 'DateTime64(3)'],
    ['test_id', 'UUID'],
    ['runner_id', 'String'],
    ['result_id', 'UUID'],
  ],
  stretch: minutesOfTime('ts'),
  pageRows: PAGE_ROWS,
};

/** Without the digests, which say nothing outside of the store. */
export const HOURS: ExportedColumns = {
  table: 'test_hours',
  select: 'toString(test_id) AS test_id, runner_id, hour, passed, failed, not_run, total, phase_sums, phase_counts',
  key: [
    ['hour', 'UInt32'],
    ['test_id', 'UUID'],
    ['runner_id', 'String'],
  ],
  stretch: stretchesOfNumber('hour', 24),
  newest: 'version DESC',
  pageRows: PAGE_ROWS,
};
