import type { TallyEntry } from '#kernel';
import type { Count } from '../features/self-metrics/index.ts';

interface StoreCounters {
  tenants: ReadonlyMap<string, ReadonlyMap<string, { rows: number; truncated: number; leftOut: number }>>;
  refused: ReadonlyMap<string, number>;
}

type ByState = Readonly<Record<string, number>>;

interface ReceivingStats {
  connections: Readonly<Record<'grpc' | 'http', ByState | undefined>> | undefined;
  accepted: readonly { tenant: string; signal: string; items: number }[];
  refused: readonly { tenant: string | undefined; reason: string; count: number }[];
}

/** Without topic and reason: what went to make room. */
interface QuarantineCount {
  tenant: string | undefined;
  count: number;
  topic?: string;
  reason?: string;
}

/** What the slices whose numbers are told keep. */
export interface CountingSlices {
  endpoint: { counts: () => readonly TallyEntry<string>[] };
  results: { counts: () => readonly TallyEntry<string>[] };
  otlp: { storeCounters: () => StoreCounters | undefined; heldAnswers: () => ReadonlyMap<string, number> };
  otlpReceiver: { stats: () => ReceivingStats };
  /** Open connections of the other listeners by name; undefined for one that is not there. */
  edges: () => Readonly<Record<string, ByState | undefined>>;
  quarantine: { counts: () => readonly QuarantineCount[] };
  cardinality: { counts: () => readonly TallyEntry<string>[] };
  otlpExport: { stats: () => { queued: number; tallies: readonly { owner: string; sent: number; dropped: number }[] } };
}

/** Words other than the one of success are reasons. */
const tallied = (
  entries: readonly TallyEntry<string>[],
  { source, success }: { source: string; success: 'accepted' | 'stored' },
) =>
  entries.map(({ tenant, word, count }): Count => {
    const whose: Readonly<Record<string, string>> = tenant === undefined ? { 'otel.metric.overflow': 'true' } : { tenant };
    if (word === success) return { name: `svc.ingest.${success}`, value: count, attributes: { source, ...whose } };
    return { name: 'svc.ingest.refused', value: count, attributes: { source, reason: word, ...whose } };
  });

const resultCounts = ({ endpoint, results }: Pick<CountingSlices, 'endpoint' | 'results'>): Count[] => [
  ...tallied(endpoint.counts(), { source: 'agents', success: 'accepted' }),
  ...tallied(results.counts(), { source: 'results', success: 'stored' }),
];

const connectionCounts = (edges: Readonly<Record<string, ByState | undefined>>): Count[] =>
  Object.entries(edges).flatMap(([listener, counts]) =>
    Object.entries(counts ?? {}).map(
      ([state, value]): Count => ({ name: 'svc.edge.connections', value, attributes: { listener, state } }),
    ),
  );

const countAll = (counts: ByState | undefined): number => Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);

function receivedCounts({ accepted, refused, connections }: ReceivingStats): Count[] {
  const source = 'otlp';
  return [
    ...accepted.map(
      ({ tenant, signal, items }): Count => ({
        name: 'svc.ingest.accepted',
        value: items,
        attributes: { source, signal, tenant },
      }),
    ),
    ...refused.map(
      ({ tenant, reason, count }): Count => ({
        name: 'svc.ingest.refused',
        value: count,
        attributes: { source, reason, ...(tenant === undefined ? {} : { tenant }) },
      }),
    ),
    { name: 'svc.otlp.connections', value: countAll(connections?.grpc) + countAll(connections?.http) },
  ];
}

function storedCounts({ tenants, refused }: StoreCounters): Count[] {
  const source = 'otlp';
  const ofTenants = [...tenants].flatMap(([signal, counts]) =>
    [...counts].flatMap(([tenant, { rows, truncated, leftOut }]): Count[] => {
      const attributes = { source, signal, tenant };
      return [
        { name: 'svc.ingest.stored', value: rows, attributes },
        { name: 'svc.ingest.truncated', value: truncated, attributes },
        { name: 'svc.ingest.refused', value: leftOut, attributes: { ...attributes, reason: 'left_out' } },
      ];
    }),
  );
  const unreadable = [...refused].map(
    ([signal, value]): Count => ({
      name: 'svc.ingest.refused',
      value,
      attributes: { source, signal, reason: 'unreadable' },
    }),
  );
  return [...ofTenants, ...unreadable];
}

const quarantineCount = ({ tenant, count, topic, reason }: QuarantineCount): Count => {
  const attributes: Readonly<Record<string, string>> = tenant === undefined ? { 'otel.metric.overflow': 'true' } : { tenant };
  if (topic === undefined || reason === undefined) return { name: 'svc.bus.quarantine.dropped', value: count, attributes };
  return { name: 'svc.bus.quarantined', value: count, attributes: { topic, reason, ...attributes } };
};

/** Words are a kind and what became of it. */
const overflowCounts = (entries: readonly TallyEntry<string>[]): Count[] =>
  entries.map(({ tenant, word, count }) => {
    const [kind = '', outcome = ''] = word.split(' ');
    const whose: Readonly<Record<string, string>> = tenant === undefined ? { 'otel.metric.overflow': 'true' } : { tenant };
    return { name: 'svc.ingest.overflow', value: count, attributes: { kind, outcome, ...whose } };
  });

/** The numbers of all slices under their metrics' names. */
export function readCounts({
  otlp,
  otlpReceiver,
  otlpExport,
  edges,
  quarantine,
  cardinality,
  ...slices
}: CountingSlices): Count[] {
  const { queued, tallies } = otlpExport.stats();
  const stored = otlp.storeCounters();
  const received = otlpReceiver.stats();
  return [
    ...resultCounts(slices),
    ...receivedCounts(received),
    ...connectionCounts({ ...edges(), 'otlp-grpc': received.connections?.grpc, 'otlp-http': received.connections?.http }),
    ...(stored ? storedCounts(stored) : []),
    ...[...otlp.heldAnswers()].map(([tenant, value]): Count => ({ name: 'svc.otlp.held', value, attributes: { tenant } })),
    ...quarantine.counts().map(quarantineCount),
    ...overflowCounts(cardinality.counts()),
    { name: 'svc.export.queue', value: queued },
    ...tallies.flatMap(({ owner, sent, dropped }): Count[] => [
      { name: 'svc.export.points', value: sent, attributes: { owner, outcome: 'sent' } },
      { name: 'svc.export.points', value: dropped, attributes: { owner, outcome: 'dropped' } },
    ]),
  ];
}
