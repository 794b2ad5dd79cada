import { encodeTestBlock } from '@svc/testkit/native-block';
import type { TenantId } from '#kernel';
import type { ColumnStore } from '#telemetry';

/** A span to be written; ids are short words, the same word is the same id. */
export interface TestSpan {
  trace: string;
  id: string;
  parent?: string;
  service: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Unix milliseconds. */
  atMs: number;
  durationMs?: number;
  error?: boolean;
  peer?: string;
  database?: string;
  traceState?: string;
  /** Spans of the same trace. */
  links?: string[];
}

const KINDS = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;
const hex = (word: string, bytes: number): string =>
  Buffer.from(word.padEnd(bytes, '_'))
    .toString('hex')
    .slice(0, 2 * bytes);

const LOW = 'LowCardinality(String)';

/** Rows of one table as columns. */
const encode = (table: string, columns: Readonly<Record<string, [type: string, values: readonly unknown[]]>>) =>
  encodeTestBlock(
    table,
    Object.entries(columns).map(([name, [type, values]]) => ({ name, type, values })),
  );

/** Where tests write. */
export type TestTables = Pick<ColumnStore, 'writeEncoded'>;

/** Minutes that spans change, as the writer of spans marks them (otlp-wire/src/rows/edge-marks.ts). */
function marksOf(spans: readonly TestSpan[]): number[] {
  const minutes = spans.flatMap(({ kind, atMs, durationMs = 10 }) => {
    const isCallee = kind === 'server' || kind === 'consumer';
    const first = Math.floor(atMs / 60_000) - (isCallee ? 1 : 0);
    const last = Math.floor((atMs + (isCallee ? 0 : Math.min(durationMs, 600_000))) / 60_000);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  return [...new Set(minutes)];
}

async function writeMarks(tables: TestTables, tenant: TenantId, minutes: readonly number[]): Promise<void> {
  await tables.writeEncoded(
    encode('edge_marks', {
      tenant_id: [LOW, minutes.map(() => tenant)],
      minute: ['UInt32', minutes],
      writes: ['UInt64', minutes.map(() => 1)],
      written_at: ['DateTime64(3)', minutes.map(() => BigInt(Date.now()))],
    }),
  );
}

export async function writeSpans(tables: TestTables, tenant: TenantId, spans: readonly TestSpan[]): Promise<void> {
  const of = <V>(value: (span: TestSpan) => V): V[] => spans.map(value);
  await tables.writeEncoded(
    encode('spans', {
      tenant_id: [LOW, of(() => tenant)],
      ts: ['DateTime64(9)', of(({ atMs }) => BigInt(Math.round(atMs)) * 1_000_000n)],
      duration_ns: ['UInt64', of(({ durationMs = 10 }) => Math.round(durationMs * 1e6))],
      trace_id: ['FixedString(16)', of(({ trace }) => hex(trace, 16))],
      span_id: ['FixedString(8)', of(({ id }) => hex(id, 8))],
      parent_id: ['FixedString(8)', of(({ parent }) => (parent === undefined ? '' : hex(parent, 8)))],
      trace_state: ['String', of(({ traceState = '' }) => traceState)],
      name: [LOW, of(() => 'op')],
      kind: ['UInt8', of(({ kind }) => KINDS[kind])],
      service: [LOW, of(({ service }) => service)],
      status: ['UInt8', of(({ error }) => (error ? 2 : 0))],
      db_system: [LOW, of(({ database = '' }) => database)],
      peer: [LOW, of(({ peer = '' }) => peer)],
      extras: [
        'String',
        of(({ trace, links }) =>
          links ? JSON.stringify({ links: links.map((id) => ({ traceId: hex(trace, 16), spanId: hex(id, 8) })) }) : '',
        ),
      ],
    }),
  );
  await writeMarks(tables, tenant, marksOf(spans));
}

export interface TestFlow {
  from: string;
  to: string;
  /** Unix milliseconds and the counter's value then. */
  points: readonly (readonly [number, number])[];
  direction?: string;
  /** Attributes beside those that OBI sends by default. */
  labels?: Readonly<Record<string, string>>;
}

const METRIC = 'obi_network_flow_bytes_total';

/** Counters of OBI with the attributes that it sends by default. */
export async function writeFlows(tables: TestTables, tenant: TenantId, flows: readonly TestFlow[]): Promise<void> {
  const points = flows.flatMap(({ points: own }, i) => own.map(([atMs, value]) => ({ fp: i + 1, atMs, value })));
  await tables.writeEncoded(
    encode('metric_series', {
      tenant_id: [LOW, flows.map(() => tenant)],
      metric: [LOW, flows.map(() => METRIC)],
      fp: ['UInt64', flows.map((_, i) => i + 1)],
      month: ['UInt32', flows.map(() => 202_611)],
      kind: [LOW, flows.map(() => 'sum')],
      labels: [
        'Map(LowCardinality(String), String)',
        flows.map(({ from, to, direction = 'egress', labels }) =>
          Object.entries({ 'k8s.src.owner.name': from, 'k8s.dst.owner.name': to, 'iface.direction': direction, ...labels }),
        ),
      ],
    }),
  );
  await tables.writeEncoded(
    encode('metric_points', {
      tenant_id: [LOW, points.map(() => tenant)],
      metric: [LOW, points.map(() => METRIC)],
      fp: ['UInt64', points.map(({ fp }) => fp)],
      ts: ['DateTime64(3)', points.map(({ atMs }) => atMs)],
      value: ['Float64', points.map(({ value }) => value)],
      keep_days: ['UInt16', points.map(() => 30)],
    }),
  );
}
