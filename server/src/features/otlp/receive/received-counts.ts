import type { Count } from '#kernel';

type ByState = Readonly<Record<string, number>>;

interface Received {
  /** Undefined while nothing is received. */
  connections: Readonly<Record<'grpc' | 'http', ByState | undefined>> | undefined;
  accepted: readonly { tenant: string; signal: string; items: number }[];
  refused: readonly { tenant: string | undefined; reason: string; count: number }[];
}

const sum = (counts: ByState | undefined): number => Object.values(counts ?? {}).reduce((all, count) => all + count, 0);

const connectionCounts = (listener: string, counts: ByState | undefined): Count[] =>
  Object.entries(counts ?? {}).map(
    ([state, value]): Count => ({ name: 'svc.edge.connections', value, attributes: { listener, state } }),
  );

/** What the receiver took in, what it refused, and who is connected. */
export const receivedCounts = ({ accepted, refused, connections }: Received): Count[] => [
  ...accepted.map(
    ({ tenant, signal, items }): Count => ({
      name: 'svc.ingest.accepted',
      value: items,
      attributes: { source: 'otlp', signal, tenant },
    }),
  ),
  ...refused.map(
    ({ tenant, reason, count }): Count => ({
      name: 'svc.ingest.refused',
      value: count,
      attributes: { source: 'otlp', reason, ...(tenant === undefined ? {} : { tenant }) },
    }),
  ),
  { name: 'svc.otlp.connections', value: sum(connections?.grpc) + sum(connections?.http) },
  ...connectionCounts('otlp-grpc', connections?.grpc),
  ...connectionCounts('otlp-http', connections?.http),
];
