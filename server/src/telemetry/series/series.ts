import { type Block, FingerprintSet, newColumn, RecentFingerprints } from '@svc/bytes';
import { AppError, type Clock, systemClock } from '#kernel';
import type { ColumnStore, SampleBatch, SeriesKey, SeriesOwner, SeriesStore } from '../ports.ts';
import { createReuse, type Reuse } from '../reuse.ts';
import { exportHours } from './export.ts';
import { combineHigh, combineLow, type Hash, hashOwner, hashText, joinLabels, seriesKey, splitLabels } from './hash.ts';
import { rollUpHours, SAMPLE_HOURS } from './hours.ts';
import { monthOf, rangeOfSeries } from './range.ts';

/** Series remembered as written, twice this at most; 8 bytes each, so a few tens of MB. What was forgotten is written once more. */
const KNOWN_SERIES = 2_000_000;

const newSeriesColumns = () => ({
  tenants: newColumn('LowCardinality(String)'),
  agents: newColumn('String'),
  metrics: newColumn('LowCardinality(String)'),
  fingerprints: newColumn('UInt64'),
  months: newColumn('UInt32'),
  labels: newColumn('Map(LowCardinality(String), String)'),
});

function seriesBlock(columns: ReturnType<typeof newSeriesColumns>): Block {
  return {
    table: 'series',
    rows: columns.months.length,
    columns: [
      { name: 'tenant_id', type: 'LowCardinality(String)', values: columns.tenants },
      { name: 'agent', type: 'String', values: columns.agents },
      { name: 'metric', type: 'LowCardinality(String)', values: columns.metrics },
      { name: 'fp', type: 'UInt64', values: columns.fingerprints },
      { name: 'month', type: 'UInt32', values: columns.months },
      { name: 'labels', type: 'Map(LowCardinality(String), String)', values: columns.labels },
    ],
  };
}

/** The columns of `samples`, encoded as the rows come: no object a sample. */
const newSampleColumns = () => ({
  tenants: newColumn('LowCardinality(String)'),
  metrics: newColumn('LowCardinality(String)'),
  fingerprints: newColumn('UInt64'),
  times: newColumn('DateTime64(3)'),
  values: newColumn('Float64'),
});

type SampleColumns = ReturnType<typeof newSampleColumns>;

function samplesBlock(columns: SampleColumns): Block {
  return {
    table: 'samples',
    rows: columns.values.length,
    columns: [
      { name: 'tenant_id', type: 'LowCardinality(String)', values: columns.tenants },
      { name: 'metric', type: 'LowCardinality(String)', values: columns.metrics },
      { name: 'fp', type: 'UInt64', values: columns.fingerprints },
      { name: 'ts', type: 'DateTime64(3)', values: columns.times },
      { name: 'value', type: 'Float64', values: columns.values },
    ],
  };
}

/** One block of samples on its way: columns, and the series in it that the store may not know yet. */
function createBatch(store: ColumnStore, known: RecentFingerprints, reuse: Reuse<SampleColumns>): SampleBatch {
  const columns = reuse.take();
  let fresh = newSeriesColumns();
  const freshKeys = new FingerprintSet();
  const marks: number[] = [];
  let owner: SeriesOwner | undefined;
  let ownerHash: Hash = { low: 0, high: 0 };
  let seenHash: Hash = ownerHash;
  let time = 0;
  let month = 0;
  let scope = '';

  function begin(next: SeriesOwner, ts: number): void {
    if (!Number.isSafeInteger(ts)) throw new AppError('validation', 'The time of a sample is not a number of milliseconds.');
    owner = next;
    time = ts;
    month = monthOf(ts);
    ownerHash = hashOwner(next);
    // A series is written once a tenant and month: both belong to what is remembered.
    const nextScope = `${next.tenant}\0${month}`;
    if (nextScope !== scope) seenHash = hashText(nextScope);
    scope = nextScope;
  }

  function add(key: SeriesKey, value: number): void {
    if (owner === undefined) throw new AppError('internal', 'A sample has no owner yet.');
    if (!Number.isFinite(value)) throw new AppError('validation', `The value of ${key.metric} is not a finite number.`);
    const low = combineLow(ownerHash, key.hashLow, key.hashHigh);
    const high = combineHigh(ownerHash, key.hashLow, key.hashHigh);
    columns.tenants.push(owner.tenant);
    columns.metrics.push(key.metric);
    columns.fingerprints.pushHalves(low, high);
    columns.times.push(time);
    columns.values.push(value);
    const seenLow = combineLow(seenHash, low, high);
    const seenHigh = combineHigh(seenHash, low, high);
    if (known.has(seenLow, seenHigh) || !freshKeys.add(seenLow, seenHigh)) return;
    fresh.tenants.push(owner.tenant);
    fresh.agents.push(owner.agent ?? '');
    fresh.metrics.push(key.metric);
    fresh.fingerprints.pushHalves(low, high);
    fresh.months.push(month);
    fresh.labels.push(joinLabels(owner, key));
    marks.push(seenLow, seenHigh);
  }

  /** Series first: a sample that is there can always be named. */
  async function write(): Promise<void> {
    if (fresh.months.length > 0) await store.write(seriesBlock(fresh));
    for (let i = 0; i < marks.length; i += 2) known.add(marks[i] as number, marks[i + 1] as number);
    fresh = newSeriesColumns();
    marks.length = 0;
    await store.write(samplesBlock(columns));
    reuse.give(columns);
  }

  return {
    get rows() {
      return columns.values.length;
    },
    begin,
    add,
    write,
  };
}

/** Series and samples in the column store. */
export function createSeriesStore(store: ColumnStore, clock: Clock = systemClock): SeriesStore {
  const known = new RecentFingerprints(KNOWN_SERIES);
  const reuse = createReuse(newSampleColumns, (columns) => {
    for (const column of Object.values(columns)) column.reset();
  });
  const batch = () => createBatch(store, known, reuse);
  return {
    batch,
    async write(samples) {
      const group = batch();
      for (const sample of samples) {
        const { owner, rest } = splitLabels(sample.labels);
        group.begin({ ...owner, tenant: sample.tenant }, sample.ts);
        group.add(seriesKey(sample.metric, rest), sample.value);
      }
      if (group.rows > 0) await group.write();
    },
    range: (tenant, query) => rangeOfSeries({ store, clock }, tenant, query),
    exportHours: (tenant) => exportHours(store, tenant),
    rollUp: (tenant) => rollUpHours(store, tenant, { ...SAMPLE_HOURS, nowMs: clock.now() }),
  };
}
