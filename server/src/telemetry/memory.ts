import { AppError, type Health } from '#kernel';
import { createMemoryTables, type MemoryTables, type MemoryTablesOptions } from './memory/tables.ts';
import type { ColumnStore, Sample, SampleBatch, SeriesKey, SeriesOwner, SeriesPoints, SeriesStore, Telemetry } from './ports.ts';
import { createTenantReaders } from './reading/tenant-readers.ts';
import { joinLabels, splitLabels } from './series-hash.ts';
import { checkRange } from './series-range.ts';

/** Points kept in all; the oldest written go first. */
const MAX_POINTS = 1_000_000;
/** Questions of one tenant. */
const MAX_AT_ONCE = 4;

interface Series {
  tenant: string;
  metric: string;
  labels: Record<string, string>;
  /** Value by Unix milliseconds, in the order of writing. */
  points: Map<number, number>;
}

const identity = (sample: Sample): string =>
  JSON.stringify([sample.tenant, sample.metric, ...Object.entries(sample.labels).sort(([a], [b]) => (a < b ? -1 : 1))]);

function bucketPoints(series: Series, fromMs: number, toMs: number): [ts: number, value: number][] {
  return [...series.points].filter(([ts]) => ts >= fromMs && ts < toMs).sort(([a], [b]) => a - b);
}

function foldPoints(series: Series, points: readonly [number, number][], stepMs: number): SeriesPoints {
  const folded: SeriesPoints = { metric: series.metric, labels: series.labels, ts: [], avg: [], min: [], max: [] };
  let count = 0;
  for (const [ts, value] of points) {
    const bucket = stepMs === 0 ? ts : Math.floor(ts / stepMs) * stepMs;
    const last = folded.ts.length - 1;
    if (folded.ts[last] === bucket) {
      count++;
      folded.avg[last] = (folded.avg[last] as number) + (value - (folded.avg[last] as number)) / count;
      folded.min[last] = Math.min(folded.min[last] as number, value);
      folded.max[last] = Math.max(folded.max[last] as number, value);
      continue;
    }
    count = 1;
    folded.ts.push(bucket);
    folded.avg.push(value);
    folded.min.push(value);
    folded.max.push(value);
  }
  return folded;
}

/** Series in the memory of this process, bounded: for machines without a build of chDB. */
export function createMemorySeries(maxPoints = MAX_POINTS): SeriesStore {
  const all = new Map<string, Series>();
  let points = 0;

  /** Drops a tenth of what each series holds, oldest written first. */
  function makeRoom(): void {
    for (const [key, series] of all) {
      let drop = Math.ceil(series.points.size / 10);
      for (const ts of series.points.keys()) {
        if (drop-- <= 0) break;
        series.points.delete(ts);
        points--;
      }
      if (series.points.size === 0) all.delete(key);
    }
  }

  function put(sample: Sample): void {
    if (points >= maxPoints) makeRoom();
    const key = identity(sample);
    const series = all.get(key) ?? {
      tenant: sample.tenant,
      metric: sample.metric,
      labels: { ...sample.labels },
      points: new Map(),
    };
    all.set(key, series);
    if (!series.points.has(sample.ts)) points++;
    series.points.set(sample.ts, sample.value);
  }

  const write = async (samples: readonly Sample[]): Promise<void> => {
    for (const { labels, value, metric } of samples) {
      splitLabels(labels);
      if (!Number.isFinite(value)) throw new AppError('validation', `The value of ${metric} is not a finite number.`);
    }
    for (const sample of samples) put(sample);
  };

  return {
    write,
    batch: () => createMemoryBatch(write),
    // Points are all there is here: they make every step, as far back as they are kept.
    rollUp: async () => 0,
    async *exportHours() {},
    async range(tenant, query) {
      checkRange(query);
      const wanted = Object.entries(query.labels);
      return [...all.values()]
        .filter(
          (s) =>
            s.tenant === tenant &&
            query.metrics.includes(s.metric) &&
            wanted.every(([name, value]) => (s.labels[name] ?? '') === value),
        )
        .map((s) => foldPoints(s, bucketPoints(s, query.fromMs, query.toMs), query.stepMs))
        .filter(({ ts }) => ts.length > 0);
    },
  };
}

function createMemoryBatch(write: SeriesStore['write']): SampleBatch {
  const samples: Sample[] = [];
  let owner: SeriesOwner | undefined;
  let time = 0;
  return {
    get rows() {
      return samples.length;
    },
    begin(next, ts) {
      owner = next;
      time = ts;
    },
    add(key: SeriesKey, value: number) {
      if (owner === undefined) throw new AppError('internal', 'A sample has no owner yet.');
      samples.push({ tenant: owner.tenant, metric: key.metric, labels: joinLabels(owner, key), ts: time, value });
    },
    write: () => write(samples),
  };
}

const MIB = 1024 * 1024;

/** What opens where there is no column store; loses everything at the end of the process and says so. */
export function createMemoryTelemetry(options: MemoryTablesOptions = {}): Telemetry {
  const memory = createMemoryTables(options);
  const why = 'Telemetry is kept in memory only: chDB has no build for this machine and SVC_CLICKHOUSE_URL is not set.';

  async function health(): Promise<Health> {
    const { maxBytes, droppedRows } = memory.use();
    const bound = `OpenTelemetry data takes at most ${Math.round(maxBytes / MIB)} MiB.`;
    const lost = Object.entries(droppedRows).map(([table, rows]) => `${rows} rows of ${table}`);
    const dropped = lost.length > 0 ? ` To make room the oldest went: ${lost.join(', ')}.` : '';
    return { status: 'degraded', detail: `${why} It is lost at a stop. ${bound}${dropped}` };
  }

  return {
    kind: 'memory',
    store: undefined,
    memory,
    series: createMemorySeries(),
    readers: createTenantReaders(MAX_AT_ONCE),
    health,
    close: async () => undefined,
  };
}

/** Where OTLP data is kept: the column store, or memory where there is none. */
export function tablesOf({ store, memory }: Pick<Telemetry, 'store' | 'memory'>): ColumnStore | MemoryTables {
  const tables = store ?? memory;
  if (tables === undefined) throw new AppError('internal', 'Neither a column store nor memory is open.');
  return tables;
}
