import { createBest } from '#telemetry';
import type { Place } from '../domain/cursor.ts';
import { AROUND_MS, type FoundTraces, type PageQuestion, type SummaryRow, type Window } from '../reader.ts';
import { FoundSpan, isPast } from './found-span.ts';
import { compareTexts, type Source, scanMatching, toNanoseconds } from './source.ts';

const NO_SPAN = '0'.repeat(16);
/** Traces that may be on the page; beyond it the hopeless ones go. */
const MAX_CANDIDATES = 2000;

const byTrace = ([a, at]: [string, bigint], [b, than]: [string, bigint]): number =>
  at === than ? compareTexts(b, a) : at > than ? -1 : 1;

/** Traces that an earlier page has shown: with a matching span that stands before this page. */
async function findShown(source: Source, question: PageQuestion, start: Place): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  await scanMatching(source, question, (columns) => (row) => {
    const span = new FoundSpan(columns, row, question.sort);
    if (!isPast(span, start, 'traces')) shown.add(span.traceId);
  });
  return shown;
}

export async function findTraces(source: Source, question: PageQuestion): Promise<FoundTraces> {
  const { sort, past, limit } = question;
  const shown = past && (await findShown(source, question, past));
  /** The place of each trace so far. */
  let candidates = new Map<string, bigint>();
  /** What lies below it is on a later page. */
  let floor = 0n;
  const cut = (): void => {
    const best = createBest(limit + 1, byTrace);
    for (const entry of candidates) best.add(entry);
    const list = best.list();
    candidates = new Map(list);
    if (list.length > limit) floor = list.at(-1)?.[1] ?? 0n;
  };
  await scanMatching(source, question, (columns) => (row) => {
    const span = new FoundSpan(columns, row, sort);
    const { key } = span;
    if (key < floor) return;
    const { traceId } = span;
    if (shown?.has(traceId) || key < (candidates.get(traceId) ?? 0n)) return;
    candidates.set(traceId, key);
    if (candidates.size > MAX_CANDIDATES) cut();
  });
  cut();
  const places = [...candidates].map(([traceId, key]) => ({ key: String(key), traceId, spanId: NO_SPAN }));
  return { places: places.slice(0, limit), next: places.length > limit ? places[limit - 1] : undefined };
}

const MAX_DURATION = 4_000_000_000_000_000_000n;

interface Summary {
  row: SummaryRow;
  first: bigint;
  last: bigint;
  /** Of the span that stands for the trace; roots before others. */
  rootAt: bigint;
  services: Map<string, number>;
  seen: Set<string>;
}

const newSummary = (id: string): Summary => ({
  row: { id, first: '0', last: '0', spans: 0, errors: 0, rootService: '', rootName: '', rootless: 1, services: {} },
  services: new Map(),
  first: 0n,
  last: 0n,
  rootAt: 0n,
  seen: new Set(),
});

function addSpan(summary: Summary, span: FoundSpan): void {
  const { columns, row, key: at } = span;
  const duration = columns.wides('duration_ns')[row] as bigint;
  const [service, name, status] = [span.text('service'), span.text('name'), span.number('status')];
  const identity = `${span.spanId} ${columns.ids('parent_id').hex(row)} ${at} ${duration} ${status} ${JSON.stringify([name, service])}`;
  if (summary.seen.has(identity)) return;
  summary.seen.add(identity);
  const of = summary.row;
  const end = at + (duration < MAX_DURATION ? duration : MAX_DURATION);
  if (of.spans === 0 || at < summary.first) summary.first = at;
  if (of.spans === 0 || end > summary.last) summary.last = end;
  const rootless = columns.ids('parent_id').isZero(row) ? 0 : 1;
  if (of.spans === 0 || rootless < of.rootless || (rootless === of.rootless && at < summary.rootAt)) {
    of.rootService = service;
    of.rootName = name;
    of.rootless = rootless;
    summary.rootAt = at;
  }
  of.spans++;
  if (status === 2) of.errors++;
  summary.services.set(service, (summary.services.get(service) ?? 0) + 1);
}

export async function readSummaries(
  { memory, tenant }: Source,
  q: { ids: readonly string[]; window: Window },
): Promise<SummaryRow[]> {
  const found = new Map(q.ids.map((id) => [id, newSummary(id)]));
  const tails = new Set(q.ids.map((id) => Buffer.from(id, 'hex').readUInt32LE(12)));
  const window = { fromMs: q.window.fromMs - AROUND_MS, toMs: q.window.toMs + AROUND_MS };
  await memory.scan(tenant, { table: 'spans', ...toNanoseconds(window) }, ({ rows, columns }) => {
    const traces = columns.ids('trace_id');
    for (const row of rows) {
      if (!tails.has(traces.tail(row))) continue;
      const span = new FoundSpan(columns, row, 'time');
      const summary = found.get(span.traceId);
      if (summary) addSpan(summary, span);
    }
  });
  return [...found.values()]
    .filter(({ row }) => row.spans > 0)
    .map(({ row, first, last, services }) => ({
      ...row,
      first: String(first),
      last: String(last),
      services: Object.fromEntries(services),
    }));
}
