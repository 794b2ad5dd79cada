import { expect, it } from 'vitest';
import { connectionCounts } from './connection-counts.ts';

it('reports connections by listener and state', () => {
  const counts = connectionCounts({
    grpc: { handshake: 1, stranger: 0, idle: 2, busy: 1 },
    http: { handshake: 0, stranger: 1, idle: 0, busy: 0 },
  });
  expect(counts.map(({ name, value, attributes = {} }) => [name, ...Object.values(attributes), value].join(' '))).toEqual([
    'svc.otlp.connections 5',
    ...['handshake 1', 'stranger 0', 'idle 2', 'busy 1'].map((end) => `svc.edge.connections otlp-grpc ${end}`),
    ...['handshake 0', 'stranger 1', 'idle 0', 'busy 0'].map((end) => `svc.edge.connections otlp-http ${end}`),
  ]);
});

it('reports no connection while nothing is received', () => {
  expect(connectionCounts(undefined)).toEqual([{ name: 'svc.otlp.connections', value: 0 }]);
});
