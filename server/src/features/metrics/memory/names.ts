import type { TenantId } from '#kernel';
import type { MemoryTables } from '#telemetry';
import type { MetricName } from '../api.ts';
import type { MetricReader, SeriesQuestion, SeriesRow } from '../reader.ts';
import { scanMonths, scanSeries, seriesAt } from './scan-series.ts';

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

type MetricsQuestion = Parameters<MetricReader['metrics']>[1] & { tenant: TenantId };

interface Group extends Omit<MetricName, 'series'> {
  month: number;
  fingerprints: Set<bigint>;
}

export async function listMetrics(tables: MemoryTables, { tenant, window, words, limit }: MetricsQuestion) {
  const groups = new Map<string, Group>();
  const hits = new Map<string, boolean>();
  await scanMonths(tables, { tenant, window }, (columns, rows) => {
    for (const row of rows) {
      const text = (name: string): string => columns.lows(name).at(row);
      const [metric, otelName, description] = [text('metric'), text('otel_name'), text('description')];
      const about = `${metric} ${otelName} ${description}`;
      const hit = hits.get(about) ?? words.every((word) => about.toLowerCase().includes(word));
      hits.set(about, hit);
      if (!hit) continue;
      const month = columns.numbers('month')[row] as number;
      const kind = text('kind') as MetricName['kind'];
      const told = { metric, otel_name: otelName, kind, unit: text('unit'), description, month };
      const key = `${kind} ${metric}`;
      const group = groups.get(key) ?? { ...told, fingerprints: new Set() };
      if (month > group.month) Object.assign(group, told);
      groups.set(key, group);
      group.fingerprints.add(columns.wides('fp')[row] as bigint);
    }
  });
  return [...groups.values()]
    .sort((a, b) => byText(a.metric, b.metric) || byText(a.kind, b.kind))
    .slice(0, limit)
    .map(({ month: _, fingerprints, ...about }) => ({ ...about, series: fingerprints.size }));
}

export async function listLabels(tables: MemoryTables, question: SeriesQuestion & { tenant: TenantId }) {
  const labels = new Map<string, Set<string>>();
  await scanSeries(tables, question, (columns, row) => {
    const { keys, values } = columns.maps('labels').entries(row);
    for (const [i, key] of keys.entries()) {
      const known = labels.get(key) ?? new Set();
      labels.set(key, known.add(values[i] as string));
    }
  });
  return [...labels]
    .map(([label, { size: values }]) => ({ label, values }))
    .sort((a, b) => Number(a.values === 1) - Number(b.values === 1) || byText(a.label, b.label))
    .slice(0, question.limit);
}

type ValuesQuestion = Parameters<MetricReader['values']>[1] & { tenant: TenantId };

export async function listValues(tables: MemoryTables, question: ValuesQuestion) {
  const values = new Map<string, Set<bigint>>();
  await scanSeries(tables, question, (columns, row) => {
    const value = columns.maps('labels').find(row, question.label);
    if (value === undefined || !value.toLowerCase().includes(question.search)) return;
    const known = values.get(value) ?? new Set();
    values.set(value, known.add(columns.wides('fp')[row] as bigint));
  });
  return [...values]
    .map(([value, { size: series }]) => ({ value, series }))
    .sort((a, b) => b.series - a.series || byText(a.value, b.value))
    .slice(0, question.limit);
}

type ListedSeries = Parameters<MetricReader['series']>[1];

/** Each as its newest month has it. */
export async function listSeries(tables: MemoryTables, question: ListedSeries & { tenant: TenantId }): Promise<SeriesRow[]> {
  const { told } = question;
  const newest = new Map<bigint, { month: number; row: SeriesRow }>();
  await scanSeries(tables, question, (columns, row) => {
    const fp = columns.wides('fp')[row] as bigint;
    const month = columns.numbers('month')[row] as number;
    const known = newest.get(fp);
    if (known ? known.month >= month : newest.size >= question.limit) return;
    newest.set(fp, { month, row: seriesAt(columns, row) });
  });
  const rows = [...newest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { row }]) => row);
  if (!told) return rows;
  const isTold = ([name]: [string, string]): boolean => told.includes(name);
  return rows.map((row) => ({ ...row, labels: Object.fromEntries(Object.entries(row.labels).filter(isTold)) }));
}
