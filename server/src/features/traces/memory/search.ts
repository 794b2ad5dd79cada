import { type BlockColumns, createBest } from '#telemetry';
import { createReservoir, type Reservoir } from '../domain/reservoir.ts';
import {
  type Counted,
  ERRORS,
  type GroupQuestion,
  type GroupRow,
  type Groups,
  LONGEST,
  MAX_KEYS,
  MAX_OPERATIONS,
  MAX_SERVICES,
  MAX_VALUE,
  MAX_VALUES,
  OTHERS,
  type PageQuestion,
  type Points,
  SAMPLE,
  type SpanQuestion,
  type SpanRow,
} from '../reader.ts';
import { attributeOf } from './filter.ts';
import { byPlace, FoundSpan, isPast, toPointRow, toSpanRow } from './found-span.ts';
import { compareTexts, type Source, scanMatching } from './source.ts';

const ERROR = 2;
/** Numbers that quantiles over all, and of each group, are taken of. */
const OF_ALL = 8192;
const OF_GROUP = 1024;

async function findFirst(source: Source, { past, limit, sort, ...question }: PageQuestion): Promise<FoundSpan[]> {
  const best = createBest(limit, byPlace);
  await scanMatching(source, question, (columns) => (row) => {
    const span = new FoundSpan(columns, row, sort);
    if (past === undefined || isPast(span, past, 'spans')) best.add(span);
  });
  return best.list();
}

export const readSpans = async (source: Source, question: PageQuestion): Promise<SpanRow[]> =>
  (await findFirst(source, question)).map(toSpanRow);

/** Fair, and the same each time it is asked for. */
function hashOf(columns: BlockColumns): (row: number) => number {
  const halves = [columns.wides('ts'), columns.wides('duration_ns')].map(
    ({ buffer, byteOffset, length }) => new Uint32Array(buffer, byteOffset, length * 2),
  );
  return (row) => {
    let hash = 0;
    for (const of of halves)
      for (const half of [of[row * 2] as number, of[row * 2 + 1] as number]) {
        hash = Math.imul(hash ^ half, 0x9e3779b1);
        hash ^= hash >>> 15;
      }
    return hash >>> 0;
  };
}

interface Hashed {
  hash: number;
  span: FoundSpan;
}

const byHash = (a: Hashed, b: Hashed): number => a.hash - b.hash;
const byLength = (a: FoundSpan, b: FoundSpan): number => (a.key === b.key ? 0 : a.key > b.key ? -1 : 1);

export async function readPoints(
  source: Source,
  { rootsOnly, ...question }: SpanQuestion & { rootsOnly: boolean },
): Promise<Points> {
  const failed = createBest(ERRORS, byHash);
  const others = createBest(OTHERS, byHash);
  const longest = createBest(LONGEST, byLength);
  const durations = createReservoir(OF_ALL);
  let errors = 0;
  await scanMatching(source, question, (columns) => {
    const [parents, statuses, hash] = [columns.ids('parent_id'), columns.numbers('status'), hashOf(columns)];
    return (row) => {
      if (rootsOnly && !parents.isZero(row)) return;
      const span = new FoundSpan(columns, row, 'duration');
      durations.add(Number(span.key) / 1e6);
      longest.add(span);
      if (statuses[row] === ERROR) errors++;
      (statuses[row] === ERROR ? failed : others).add({ hash: hash(row), span });
    };
  });
  const points = [...failed.list().map(({ span }) => span), ...longest.list(), ...others.list().map(({ span }) => span)];
  const quantiles = durations.quantiles([0.5, 0.95, 0.99]).map((value) => value ?? null);
  return { points: points.map(toPointRow), totals: { total: durations.count, errors, quantiles } };
}

interface Group {
  service: string;
  name: string;
  errors: number;
  durations: Reservoir;
}

async function readGroupsBy(
  source: Source,
  { by, ...question }: SpanQuestion & { by: 'service' | 'operation' },
): Promise<GroupRow[]> {
  const groups = new Map<string, Group>();
  const groupOf = (service: string, name: string): Group => {
    const key = JSON.stringify([service, name]);
    const known = groups.get(key);
    if (known) return known;
    const group = { service, name, errors: 0, durations: createReservoir(OF_GROUP) };
    groups.set(key, group);
    return group;
  };
  await scanMatching(source, question, (columns) => {
    const [services, names, statuses] = [columns.lows('service'), columns.lows('name'), columns.numbers('status')];
    const durations = columns.wides('duration_ns');
    // Groups by the ids of a block: no text is made of each span.
    const known = new Map<number, Group>();
    return (row) => {
      const id = (services.ids[row] as number) * 2 ** 32 + (by === 'service' ? 0 : (names.ids[row] as number));
      const group = known.get(id) ?? groupOf(services.at(row), by === 'service' ? '' : names.at(row));
      known.set(id, group);
      group.durations.add(Number(durations[row]));
      if (statuses[row] === ERROR) group.errors++;
    };
  });
  const first = [...groups.values()].sort(
    (a, b) => b.durations.count - a.durations.count || compareTexts(a.service, b.service) || compareTexts(a.name, b.name),
  );
  return first.slice(0, by === 'service' ? MAX_SERVICES : MAX_OPERATIONS).map(({ service, name, errors, durations }) => ({
    service,
    name,
    spans: durations.count,
    errors,
    p95: (durations.quantiles([0.95])[0] ?? 0) / 1e6,
  }));
}

export async function readGroups(source: Source, { services, ...question }: GroupQuestion): Promise<Groups> {
  const chosen = { ...question, filter: { ...question.filter, service: [...services] } };
  return {
    services: await readGroupsBy(source, { ...question, by: 'service' }),
    operations: await readGroupsBy(source, { ...chosen, by: 'operation' }),
  };
}

const findNewest = (source: Source, question: SpanQuestion): Promise<FoundSpan[]> =>
  findFirst(source, { ...question, sort: 'time', limit: SAMPLE });

function toCounted(counts: ReadonlyMap<string, number>, most: number, sampled: number): Counted {
  const rows = [...counts].sort(([a, of], [b, than]) => than - of || compareTexts(a, b)).slice(0, most);
  return { rows: rows.map(([text, spans]) => ({ text, spans })), sampled: rows.length > 0 ? sampled : 0 };
}

export async function countKeys(source: Source, question: SpanQuestion): Promise<Counted> {
  const newest = await findNewest(source, question);
  const counts = new Map<string, number>();
  for (const { columns, row } of newest) {
    const keys = new Set(['attributes', 'resource'].flatMap((name) => columns.maps(name).entries(row).keys));
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  counts.delete('service.name');
  counts.delete('svc.tenant.id');
  return toCounted(counts, MAX_KEYS, newest.length);
}

export async function countValues(source: Source, { key, ...question }: SpanQuestion & { key: string }): Promise<Counted> {
  const newest = await findNewest(source, question);
  const counts = new Map<string, number>();
  for (const { columns, row } of newest) {
    const value = attributeOf(columns, key)(row) ?? '';
    if (value !== '' && Buffer.byteLength(value) <= MAX_VALUE) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return toCounted(counts, MAX_VALUES, newest.length);
}
