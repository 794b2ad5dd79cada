import { parseSpanExtras, type SpanLink } from '@svc/contracts/otlp/span-extras';
import { AppError, type Clock, type TenantId } from '#kernel';
import type { BlockColumns, Ids, MemoryTables, TenantReaders } from '#telemetry';
import { type Flow, FlowMinutes, type FlowPoint, flowOf } from './domain/flows.ts';
import { EdgeSums } from './domain/sum-edges.ts';
import { CALLEE_AFTER_MINUTES, CALLER_BEFORE_MINUTES, CLOSED_AFTER_MS, MAX_EDGES, MAX_SPANS } from './edge-rules.ts';
import type { MapReader, MapSums } from './reader.ts';

const MINUTE_MS = 60_000;
const MINUTE_NS = 60_000_000_000n;
/** Of flows, in one question. */
const MAX_POINTS = 500_000;

const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5];
const FAILED = 2;
const FLOW_METRICS = ['obi_network_flow_bytes', 'obi_network_flow_bytes_total'];

/** Minutes since 1970, the end exclusive. */
interface Minutes {
  from: number;
  to: number;
}

interface Asked {
  memory: MemoryTables;
  tenant: TenantId;
  window: Minutes;
}

const toWindow = ({ from, to }: Minutes) => ({ fromNs: BigInt(from) * MINUTE_NS, toNs: BigInt(to) * MINUTE_NS });

interface Id {
  ids: Pick<Ids, 'word'>;
  at: number;
}

function idOfHex(hex: string): Id {
  const bytes = Buffer.from(hex, 'hex');
  return { ids: { word: (_, place) => bytes.readInt32LE(4 * place) }, at: 0 };
}

/**
 * 53 bits of a trace and span: as text, ids took most of the time of a question. Two of 500,000 spans are taken for one another once in
 * 70,000 questions.
 */
function keyOf(trace: Id, span?: Id): number {
  let low = 0x2f0b4c47;
  let high = 0x1b873593;
  for (let i = 0; i < (span ? 6 : 4); i++) {
    const word = i < 4 || !span ? trace.ids.word(trace.at, i) : span.ids.word(span.at, i - 4);
    low = Math.imul(low ^ word, 0x85ebca6b);
    low ^= low >>> 13;
    high = Math.imul(high + word, 0xc2b2ae35);
    high ^= high >>> 16;
  }
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}

/** Whole traces are left out, never parts of one. */
const isKept = (columns: BlockColumns, row: number, oneIn: number): boolean =>
  oneIn === 1 || keyOf({ ids: columns.ids('trace_id'), at: row }) % oneIn === 0;

const spanKey = (columns: BlockColumns, row: number): number =>
  keyOf({ ids: columns.ids('trace_id'), at: row }, { ids: columns.ids('span_id'), at: row });

function linksOf(columns: BlockColumns, row: number): SpanLink[] {
  if (columns.numbers('kind')[row] !== CONSUMER || !columns.has('extras')) return [];
  const extras = columns.texts('extras');
  return extras.size(row) > 0 ? parseSpanExtras(extras.at(row)).links : [];
}

/** Whom a server or consumer span answers: its parent, and for a consumer what it links to instead; `root` where there is none. */
function eachAnswered(columns: BlockColumns, row: number, visit: (key: number, root: boolean) => void): void {
  const links = linksOf(columns, row);
  if (links.length === 0) {
    const parents = columns.ids('parent_id');
    visit(keyOf({ ids: columns.ids('trace_id'), at: row }, { ids: parents, at: row }), parents.isZero(row));
  }
  for (const { traceId, spanId } of links) visit(keyOf(idOfHex(traceId), idOfHex(spanId)), /^0+$/.test(spanId));
}

/** Visits the rows of the wanted kinds, of traces that are kept. */
async function scanSpans(
  { memory, tenant, window, kinds, oneIn }: Asked & { kinds: readonly number[]; oneIn: number },
  visit: (columns: BlockColumns, row: number) => void,
): Promise<void> {
  await memory.scan(tenant, { table: 'spans', ...toWindow(window) }, ({ rows, columns }) => {
    const own = columns.numbers('kind');
    for (const row of rows) if (kinds.includes(own[row] as number) && isKept(columns, row, oneIn)) visit(columns, row);
  });
}

const callOf = (columns: BlockColumns, row: number, times: number) => ({
  failed: columns.numbers('status')[row] === FAILED,
  durationNs: Number(columns.wides('duration_ns')[row]),
  times,
});

/** Every span of the window: how many there are, and which services sent them. */
async function countSpans({ memory, tenant, window }: Asked, sums: EdgeSums): Promise<{ spans: number; sampled: number }> {
  let [spans, sampled] = [0, 0];
  await memory.scan(tenant, { table: 'spans', ...toWindow(window) }, ({ rows, columns }) => {
    const states = columns.texts('trace_state');
    for (const row of rows) {
      spans++;
      if (states.size(row) > 0 && states.at(row).includes('th:')) sampled++;
      sums.addService(columns.lows('service').at(row));
    }
  });
  return { spans, sampled };
}

/** Who called whom; `oneIn` leaves traces out and lets the others count for them. The rules are those of edge-sql.ts. */
async function sumCalls(asked: Asked & { oneIn: number }, sums: EdgeSums): Promise<void> {
  const { window, oneIn } = asked;
  const answered = new Set<number>();
  const near = { from: window.from - 1, to: window.to + CALLEE_AFTER_MINUTES };
  await scanSpans({ ...asked, window: near, kinds: [SERVER, CONSUMER] }, (columns, row) => {
    eachAnswered(columns, row, (key) => answered.add(key));
  });
  const callers = new Map<number, string>();
  const before = { from: window.from - CALLER_BEFORE_MINUTES, to: window.to };
  await scanSpans({ ...asked, window: before, kinds: [0, 1, SERVER, CLIENT, PRODUCER, CONSUMER] }, (columns, row) => {
    const key = spanKey(columns, row);
    if (answered.has(key)) callers.set(key, columns.lows('service').at(row));
  });
  await scanSpans({ ...asked, kinds: [CLIENT, PRODUCER] }, (columns, row) => {
    if (answered.has(spanKey(columns, row))) return;
    const [source, target] = [columns.lows('service').at(row), columns.lows('peer').at(row)];
    const outside = columns.numbers('kind')[row] === PRODUCER ? 'queue' : 'host';
    const named = columns.lows('db_system').size(row) > 0 ? 'database' : outside;
    sums.addCall({ source, target, kind: target === '' ? 'nameless' : named }, callOf(columns, row, oneIn));
  });
  await scanSpans({ ...asked, kinds: [SERVER, CONSUMER] }, (columns, row) => {
    const target = columns.lows('service').at(row);
    const found = columns.numbers('kind')[row] === CONSUMER ? 'message' : 'call';
    eachAnswered(columns, row, (key, root) => {
      const source = callers.get(key);
      const kind = source !== undefined ? found : root ? 'entry' : 'unseen';
      sums.addCall({ source: source ?? '', target, kind }, callOf(columns, row, oneIn));
    });
  });
}

const isOneOf = (columns: BlockColumns, names: readonly string[]): ((row: number) => boolean) => {
  const metrics = columns.lows('metric');
  const wanted = names.map((name) => metrics.idOf(name)).filter((id) => id >= 0);
  return wanted.length === 0 ? () => false : (row) => wanted.includes(metrics.ids[row] as number);
};

async function readFlows({ memory, tenant }: Asked): Promise<Map<bigint, { flow: Flow; points: FlowPoint[] }>> {
  const flows = new Map<bigint, { flow: Flow; points: FlowPoint[] }>();
  await memory.scan(tenant, { table: 'metric_series' }, ({ rows, columns }) => {
    const isFlow = isOneOf(columns, FLOW_METRICS);
    for (const row of rows) {
      if (!isFlow(row)) continue;
      const flow = flowOf((name) => columns.maps('labels').find(row, name) ?? '', columns.lows('kind').at(row));
      if (flow) flows.set(columns.wides('fp')[row] as bigint, { flow, points: [] });
    }
  });
  return flows;
}

async function sumFlows(asked: Asked, sums: EdgeSums): Promise<boolean> {
  const flows = await readFlows(asked);
  if (flows.size === 0) return false;
  const { memory, tenant, window } = asked;
  let left = MAX_POINTS;
  const before = { from: window.from - CALLER_BEFORE_MINUTES, to: window.to };
  await memory.scan(tenant, { table: 'metric_points', ...toWindow(before) }, ({ rows, columns }) => {
    const isFlow = isOneOf(columns, FLOW_METRICS);
    const [fps, times, values] = [columns.wides('fp'), columns.wides('ts'), columns.numbers('value')];
    for (const row of rows) {
      if (!isFlow(row)) continue;
      if (left-- === 0) throw new AppError('unavailable', `More than ${MAX_POINTS} points of flows: look at less time.`);
      flows.get(fps[row] as bigint)?.points.push([Number(times[row]), values[row] as number]);
    }
  });
  const minutes = new FlowMinutes(window);
  for (const { flow, points } of flows.values()) {
    points.sort(([a], [b]) => a - b);
    minutes.add(
      flow,
      points.filter(([at], i) => i === 0 || at !== points[i - 1]?.[0]),
    );
  }
  for (const { bytes, ...pair } of minutes.sums()) sums.addBytes(pair, bytes);
  return left < MAX_POINTS;
}

interface MemoryReaderDeps {
  memory: MemoryTables;
  readers: TenantReaders;
  clock: Clock;
  maxSpans?: number;
  /** Connections of one kind that a window shows by name. */
  maxEdges?: number | undefined;
}

/** Edges out of the spans and flows that are kept in memory, made anew for every question; minutes that are not over are left out. */
export function createMemoryReader(deps: MemoryReaderDeps): MapReader {
  const { memory, readers, clock, maxSpans = MAX_SPANS, maxEdges = MAX_EDGES } = deps;

  async function read(tenant: TenantId, window: Minutes, limit: number): Promise<MapSums> {
    const sums = new EdgeSums();
    const asked = { memory, tenant, window };
    const counted = await countSpans(asked, sums);
    const oneIn = Math.max(1, Math.ceil(counted.spans / maxSpans));
    await sumCalls({ ...asked, oneIn }, sums);
    const flows = await sumFlows(asked, sums);
    sums.fold(maxEdges);
    const seen = counted.spans > 0 || flows;
    const computed = { ...counted, one_in: oneIn, newest: window.to - 1, minutes: window.to - window.from };
    return { sums: sums.busiest(limit), computed: seen ? computed : undefined, waiting: 0 };
  }

  return {
    read(tenant, { from, to, limit }) {
      const end = Math.min(to, Math.floor((clock.now() - CLOSED_AFTER_MS) / MINUTE_MS));
      if (end <= from) return Promise.resolve({ sums: [], computed: undefined, waiting: 0 });
      return readers.use(tenant, () => read(tenant, { from, to: end }, limit));
    },
  };
}
