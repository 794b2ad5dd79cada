import type { CanaryType } from '@svc/contracts/results/canonical-result';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import { VIEW_ATTRIBUTES } from '@svc/contracts/rum/canonical-view';
import type { TenantId } from '#kernel';
import { type Block, type ColumnBuilder, newColumn, type SampleBatch, type SeriesKey, seriesKey } from '#telemetry';
import { metricSeriesOf } from './domain/metric-series.ts';
import type { TimedResult } from './domain/parse-result.ts';
import type { Targets } from './targets.ts';

/** Distinct numeric keys remembered over all types; beyond it a new key of a type without a table is kept raw only. */
const MAX_KEYS = 5000;

/** Numeric key -> prepared series key, remembered: a few hundred keys make all samples. */
export function createKeyCache(): (type: CanaryType, key: string) => SeriesKey | undefined {
  const byType = new Map<CanaryType, Map<string, SeriesKey | undefined>>();
  let size = 0;
  return (type, key) => {
    let keys = byType.get(type);
    if (keys === undefined) {
      keys = new Map();
      byType.set(type, keys);
    }
    const known = keys.get(key);
    if (known !== undefined || keys.has(key)) return known;
    const series = size < MAX_KEYS ? metricSeriesOf(type, key) : undefined;
    const prepared = series && seriesKey(series.metric, series.labels);
    // A key that makes no series is not remembered: a device could send any number of them.
    if (prepared === undefined) return undefined;
    keys.set(key, prepared);
    size++;
    return prepared;
  };
}

const TYPES = {
  tenant_id: 'LowCardinality(String)',
  canary_type: 'LowCardinality(String)',
  agent_id: 'String',
  ts: 'DateTime64(3)',
  result_id: 'UUID',
  test_id: 'LowCardinality(String)',
  server_address: 'LowCardinality(String)',
  server_port: 'UInt16',
  target: 'LowCardinality(String)',
  present: 'UInt8',
  success: 'UInt8',
  error: 'String',
  duration_ms: 'Float64',
  cause: 'LowCardinality(String)',
  metrics: 'Map(LowCardinality(String), Float64)',
  attributes: 'Map(LowCardinality(String), String)',
} as const;

export type Columns = { [Name in keyof typeof TYPES]: ColumnBuilder<(typeof TYPES)[Name]> };
const NAMES = Object.keys(TYPES) as (keyof Columns)[];
export const newColumns = (): Columns =>
  Object.fromEntries(NAMES.map((name) => [name, newColumn(TYPES[name])])) as unknown as Columns;

export interface RowBuilder {
  readonly rows: number;
  add(tenant: TenantId, timed: TimedResult): void;
  block(): Block;
}

/** Which series a result makes. */
export interface SeriesRules {
  keyOf: ReturnType<typeof createKeyCache>;
  targets: Targets;
}

/** The app that a page view is of, which is a label of its series; other results are of none. */
const appOf = ({ canary_type: type, attributes }: TimedResult['result']): string | undefined =>
  type === 'rum' ? attributes[VIEW_ATTRIBUTES.app] : undefined;

/** Raw rows (into empty `columns`) and samples of results, encoded as they come. `samples` gets one sample for each numeric field that has a series. */
export function createRowBuilder(columns: Columns, samples: SampleBatch, { keyOf, targets }: SeriesRules): RowBuilder {
  function addSamples(tenant: TenantId, { result, startedAtMs }: TimedResult, target: string): void {
    const { agent_id: agent, test_id: test, canary_type: type, metrics } = result;
    const app = appOf(result);
    samples.begin(
      { tenant, agent, target, ...(test === undefined ? {} : { test }), ...(app === undefined ? {} : { app }) },
      startedAtMs,
    );
    for (const name in metrics) {
      const key = keyOf(type, name);
      if (key !== undefined) samples.add(key, metrics[name] as number);
    }
  }

  return {
    get rows() {
      return columns.ts.length;
    },
    add(tenant, timed) {
      const { result, startedAtMs } = timed;
      // Of the row as well: the view of the newest results of each target grows with it. The address stays what it is.
      // Page views have no agent: their hosts are bounded by app.
      const agent = result.agent_id || (appOf(result) ?? '');
      const target = targets.labelOf({ tenant, agent, target: targetOf(result) });
      columns.tenant_id.push(tenant);
      columns.canary_type.push(result.canary_type);
      columns.agent_id.push(result.agent_id);
      columns.ts.push(startedAtMs);
      columns.result_id.push(result.result_id);
      columns.test_id.push(result.test_id ?? '');
      columns.server_address.push(result.server_address ?? '');
      columns.server_port.push(result.server_port ?? 0);
      columns.target.push(target);
      columns.present.push(result.present ? 1 : 0);
      columns.success.push(result.success === undefined ? 2 : result.success ? 1 : 0);
      columns.error.push(result.error ?? '');
      columns.duration_ms.push(result.duration_ms ?? Number.NaN);
      columns.cause.push(result.attributes[ATTRIBUTES.cause] ?? '');
      columns.metrics.push(result.metrics);
      columns.attributes.push(result.attributes);
      addSamples(tenant, timed, target);
    },
    block() {
      return {
        table: 'results',
        rows: columns.ts.length,
        columns: NAMES.map((name) => ({ name, type: TYPES[name], values: columns[name] })),
      };
    },
  };
}
