import { countOfPage } from '#api';
import type { Ctx } from '#kernel';
import type { TracesInput } from './api.ts';
import { readerOf, type TracesContext, windowOf } from './context.ts';
import { decodePlace, encodePlace, type Place, type Sort } from './domain/cursor.ts';
import type { FoundTraces, SummaryRow, TraceReader, Window } from './reader.ts';
import { askRootsFirst } from './roots-first.ts';
import type { TracePage } from './views.ts';

const MAX_SERVICES = 8;

const toIso = (unixNano: string): string => new Date(Number(BigInt(unixNano) / 1_000_000n)).toISOString();

/** What a list is sorted by, as its rows show it: the start of the trace or the length of its root, in nanoseconds. */
const shownKey = (sort: Sort, { first, rootDuration }: SummaryRow): bigint => BigInt(sort === 'time' ? first : rootDuration);

function toItem(row: SummaryRow): TracePage['items'][number] {
  const services = Object.entries(row.services).sort(([, a], [, b]) => b - a);
  return {
    trace_id: row.id,
    root: { service: row.rootService, name: row.rootName, seen: row.rootless === 0, duration_ms: Number(row.rootDuration) / 1e6 },
    started_at: toIso(row.first),
    duration_ms: Number(BigInt(row.last) - BigInt(row.first)) / 1e6,
    spans: row.spans,
    errors: row.errors,
    services: services.slice(0, MAX_SERVICES).map(([name, spans]) => ({ name, spans })),
    service_count: services.length,
  };
}

/** Stands before the place of a list whose first page is of roots, so that its last one does not go over to spans. */
const ROOTS = 'roots.';

interface Found {
  of: TracePage['of'];
  answer: FoundTraces;
}

async function findPage(reader: TraceReader, window: Window, { of, cursor, ...input }: TracesInput): Promise<Found> {
  const { sort, limit } = input;
  const find = (rootsOnly: boolean, past?: Place) =>
    reader.findTraces({ filter: input, window, sort, limit, rootsOnly, ...(past && { past }) });
  if (cursor !== undefined) {
    const isOfRoots = cursor.startsWith(ROOTS);
    const past = decodePlace(sort, isOfRoots ? cursor.slice(ROOTS.length) : cursor);
    return { of: isOfRoots ? 'roots' : 'spans', answer: await find(isOfRoots, past) };
  }
  if (of === 'spans') return { of, answer: await find(false) };
  return await askRootsFirst(
    input,
    (rootsOnly) => find(rootsOnly),
    ({ places, next }) => places.length === 0 && next === undefined,
  );
}

/**
 * One page of the traces that have a matching span; each trace is on one page only, whatever comes in between. The span that matched
 * decides which page a trace is on, the start of the trace or length of its root its place there: both are known of a page's traces only.
 */
export async function listTraces(deps: TracesContext, ctx: Ctx, input: TracesInput): Promise<TracePage> {
  const { sort } = input;
  const window = windowOf(deps, input);
  const reader = readerOf(deps, ctx);
  const found = await findPage(reader, window, input);
  const { places, next } = found.answer;
  const ids = places.map(({ traceId }) => traceId);
  const summaries = new Map((ids.length > 0 ? await reader.summaries({ ids, window }) : []).map((row) => [row.id, row]));
  const listed = places.flatMap((place) => {
    const row = summaries.get(place.traceId);
    return row ? [{ place, key: shownKey(sort, row), item: toItem(row) }] : [];
  });
  const shown = listed.slice(0, countOfPage(listed.map(({ item }) => item)));
  const end = shown.length < listed.length ? shown.at(-1)?.place : next;
  const items = shown.toSorted((a, b) => (a.key === b.key ? 0 : a.key > b.key ? -1 : 1)).map(({ item }) => item);
  const start = found.of === 'roots' ? ROOTS : '';
  return { items, of: found.of, next_cursor: end ? `${start}${encodePlace(sort, end)}` : null };
}
