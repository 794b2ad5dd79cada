import type { TenantId } from '#kernel';
import { type BlockColumns, createBest, type Maps, type MemoryTables, type TenantReaders } from '#telemetry';
import type { Place } from './domain/place.ts';
import type { LogWindow } from './filter.ts';
import { beyondOf, matcherOf } from './memory-filter.ts';
import { cutText, type Found, foundAt, newestFirst, oldestFirst, shownRow, wholeRow } from './memory-rows.ts';
import {
  type AroundQuestion,
  type FacetRow,
  type LogQuestion,
  type LogReader,
  MAX_KEYS,
  MAX_SERVICES,
  NO_FACETS,
  type PageQuestion,
  SAMPLED,
  type StepRow,
  VALUE_FACET,
  VALUES_A_KEY,
} from './reader.ts';

interface Source {
  memory: MemoryTables;
  tenant: TenantId;
}

type Visit = (columns: BlockColumns, row: number) => void;

const scanWindow = ({ memory, tenant }: Source, { from, to }: LogWindow, visit: Parameters<MemoryTables['scan']>[2]) =>
  memory.scan(tenant, { table: 'logs', fromNs: from, toNs: to }, visit);

/** Visits what matches. */
function scanMatching(
  source: Source,
  { filter, window, beyond }: LogQuestion & Pick<PageQuestion, 'beyond'>,
  visit: Visit,
): Promise<void> {
  const matches = matcherOf(filter);
  return scanWindow(source, window, ({ rows, columns }) => {
    const test = matches(columns);
    const isBeyond = beyond && beyondOf(columns, beyond);
    for (const row of rows) if ((!isBeyond || isBeyond(row)) && test(row)) visit(columns, row);
  });
}

async function readPage(source: Source, { after, limit, ...question }: PageQuestion): Promise<Found[]> {
  const best = createBest<Found>(limit, newestFirst);
  await scanMatching(source, question, (columns, row) => {
    const found = foundAt(columns, row);
    if (after === undefined || newestFirst(found, after) > 0) best.add(found);
  });
  return best.list();
}

async function findPlace(source: Source, place: Place): Promise<Found | undefined> {
  let found: Found | undefined;
  await scanWindow(source, { from: place.ts, to: place.ts + 1n }, ({ rows, columns }) => {
    const at = rows.find((row) => oldestFirst(foundAt(columns, row), place) === 0);
    if (at === undefined) return true;
    found = foundAt(columns, at);
    return false;
  });
  return found;
}

const signatureOf = (resource: Maps, row: number): string => JSON.stringify(resource.entries(row));

/** Whether a row is of a resource, which few of a block differ in: each is compared once. */
function isOfResource(columns: BlockColumns, signature: string): (row: number) => boolean {
  const resource = columns.maps('resource');
  const { ranges, keys, values } = resource;
  const known = new Map<string, boolean>();
  const { ids } = 'ids' in values ? values : { ids: undefined };
  return (row) => {
    let entries = '';
    for (let i = ranges.from(row); i < ranges.to(row); i++) entries += `${keys.ids[i]}:${ids ? ids[i] : values.at(i)},`;
    const before = known.get(entries);
    if (before !== undefined) return before;
    const same = signatureOf(resource, row) === signature;
    known.set(entries, same);
    return same;
  };
}

async function readAround(source: Source, { place, service, window, side, limit }: AroundQuestion): Promise<Found[]> {
  const anchor = await findPlace(source, place);
  if (anchor === undefined) return [];
  const signature = signatureOf(anchor.columns.maps('resource'), anchor.at);
  const best = createBest<Found>(limit, side === '<' ? newestFirst : oldestFirst);
  await scanWindow(source, { from: window.from, to: window.to + 1n }, ({ rows, columns }) => {
    const services = columns.lows('service');
    const wanted = services.idOf(service);
    const isSame = isOfResource(columns, signature);
    for (const row of rows) {
      if (services.ids[row] !== wanted) continue;
      const found = foundAt(columns, row);
      const order = oldestFirst(found, place);
      if ((side === '<' ? order < 0 : order > 0) && isSame(row)) best.add(found);
    }
  });
  return best.list();
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

async function countServices(source: Source, question: LogQuestion) {
  const counts = new Map<string, number>();
  await scanMatching(source, question, (columns, row) => {
    const service = columns.lows('service').at(row);
    counts.set(service, (counts.get(service) ?? 0) + 1);
  });
  const rows = [...counts].map(([service, c]) => ({ service, c }));
  return rows.sort((a, b) => b.c - a.c || compareText(a.service, b.service)).slice(0, MAX_SERVICES);
}

async function countAttributes(source: Source, question: LogQuestion): Promise<FacetRow[]> {
  const newest = await readPage(source, { ...question, limit: SAMPLED });
  const counts = new Map<string, { total: number; values: Map<string, number> }>();
  for (const { columns, at } of newest) {
    for (const maps of [columns.maps('attributes'), columns.maps('resource')]) {
      const { keys, values } = maps.entries(at);
      for (const [i, key] of keys.entries()) {
        const of = counts.get(key) ?? { total: 0, values: new Map() };
        counts.set(key, of);
        const value = cutText(values[i] as string, VALUE_FACET);
        of.total++;
        of.values.set(value, (of.values.get(value) ?? 0) + 1);
      }
    }
  }
  for (const key of NO_FACETS) counts.delete(key);
  const keys = [...counts].sort(([a, of], [b, than]) => than.total - of.total || compareText(a, b)).slice(0, MAX_KEYS);
  return keys.map(([key, { values }]) => ({ key, values: [...values].sort(([, a], [, b]) => b - a).slice(0, VALUES_A_KEY) }));
}

const NS_PER_MS = 1_000_000n;

async function countSteps(source: Source, { stepMs, ...question }: LogQuestion & { stepMs: number }): Promise<StepRow[]> {
  const counts = new Map<number, number[]>();
  await scanMatching(source, question, (columns, row) => {
    const at = Math.floor(Number((columns.wides('ts')[row] as bigint) / NS_PER_MS) / stepMs);
    const level = Math.floor(((columns.numbers('severity')[row] as number) + 3) / 4);
    const step = counts.get(at) ?? [];
    counts.set(at, step);
    step[level] = (step[level] ?? 0) + 1;
  });
  const steps = [...counts].sort(([a], [b]) => a - b);
  return steps.flatMap(([at, levels]) => levels.flatMap((c, level) => (c > 0 ? [{ at, level, c }] : [])));
}

async function findEnds(source: Source, question: LogQuestion & Pick<PageQuestion, 'beyond'>) {
  const ends = new Map<number, bigint>();
  await scanMatching(source, question, (columns, row) => {
    const partition = columns.numbers('bus_partition')[row] as number;
    const next = (columns.wides('bus_offset')[row] as bigint) + 1n;
    if (next > (ends.get(partition) ?? 0n)) ends.set(partition, next);
  });
  return [...ends].map(([at, next]) => ({ at, next: String(next) }));
}

export function createMemoryReader(memory: MemoryTables, readers: TenantReaders, tenant: TenantId): LogReader {
  const source = { memory, tenant };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => readers.use(tenant, work);
  return {
    page: (question) => inTurn(async () => (await readPage(source, question)).map(shownRow)),
    find: (place) =>
      inTurn(async () => {
        const found = await findPlace(source, place);
        return found && wholeRow(found);
      }),
    around: (question) => inTurn(async () => (await readAround(source, question)).map(shownRow)),
    count: (question) =>
      inTurn(async () => {
        let count = 0;
        await scanMatching(source, question, () => count++);
        return count;
      }),
    ends: (question) => inTurn(() => findEnds(source, question)),
    steps: (question) => inTurn(() => countSteps(source, question)),
    services: (question) => inTurn(() => countServices(source, question)),
    attributes: (question) => inTurn(() => countAttributes(source, question)),
  };
}
