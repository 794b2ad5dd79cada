import { type ColumnBuilder, newColumn } from '@svc/bytes';
import { column } from '../columns.ts';
import { MetricTable } from './columns.ts';
import type { Halves } from './hash.ts';

export interface SeriesRow {
  tenant: string;
  metric: string;
  fingerprint: Halves;
  month: number;
  otelName: string;
  unit: string;
  description: string;
  kind: string;
  service: string;
  scope: string;
  scopeVersion: string;
  /** Notes as in contracts/src/otlp/origin-notes.ts. */
  origin: string;
  labels: Readonly<Record<string, string>>;
}

type Text = ColumnBuilder<'LowCardinality(String)'>;
const SERIES_TEXTS = [
  'tenant_id',
  'metric',
  'otel_name',
  'unit',
  'description',
  'kind',
  'service',
  'scope',
  'scope_version',
  'origin',
] as const;

/** Of a label's two texts beside their characters, and of their place in an object. */
const LABEL_BYTES = 64;

export class SeriesTable extends MetricTable {
  readonly table = 'metric_series';
  private readonly texts = Object.fromEntries(SERIES_TEXTS.map((name) => [name, newColumn('LowCardinality(String)')])) as Record<
    (typeof SERIES_TEXTS)[number],
    Text
  >;
  private readonly fingerprints = newColumn('UInt64');
  private readonly months = newColumn('UInt32');
  private labelBytes = 0;
  private readonly labels = newColumn('Map(LowCardinality(String), String)');
  readonly columns = [
    ...Object.entries(this.texts).map(([name, values]) => column(name, 'LowCardinality(String)', values)),
    column('fp', 'UInt64', this.fingerprints),
    column('month', 'UInt32', this.months),
    column('labels', 'Map(LowCardinality(String), String)', this.labels),
  ];

  override get bytes(): number {
    return super.bytes + this.labelBytes;
  }

  override reset(): void {
    super.reset();
    this.labelBytes = 0;
  }

  add(row: SeriesRow): void {
    for (const key in row.labels) this.labelBytes += LABEL_BYTES + 2 * (key.length + (row.labels[key] as string).length);
    const { texts } = this;
    texts.tenant_id.push(row.tenant);
    texts.metric.push(row.metric);
    texts.otel_name.push(row.otelName);
    texts.unit.push(row.unit);
    texts.description.push(row.description);
    texts.kind.push(row.kind);
    texts.service.push(row.service);
    texts.scope.push(row.scope);
    texts.scope_version.push(row.scopeVersion);
    texts.origin.push(row.origin);
    this.fingerprints.pushHalves(row.fingerprint.low, row.fingerprint.high);
    this.months.push(row.month);
    this.labels.push(row.labels);
  }
}
