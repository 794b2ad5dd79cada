import type { Count } from '#kernel';

type ByState = Readonly<Record<string, number>>;

const sum = (counts: ByState | undefined): number => Object.values(counts ?? {}).reduce((all, count) => all + count, 0);

const countsOf = (listener: string, counts: ByState | undefined): Count[] =>
  Object.entries(counts ?? {}).map(
    ([state, value]): Count => ({ name: 'svc.edge.connections', value, attributes: { listener, state } }),
  );

/** Who is connected, by listener and state; undefined while nothing is received. */
export const connectionCounts = (connections: Readonly<Record<'grpc' | 'http', ByState | undefined>> | undefined): Count[] => [
  { name: 'svc.otlp.connections', value: sum(connections?.grpc) + sum(connections?.http) },
  ...countsOf('otlp-grpc', connections?.grpc),
  ...countsOf('otlp-http', connections?.http),
];
