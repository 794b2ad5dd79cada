import { expect, it } from 'vitest';
import { receivedCounts } from './received-counts.ts';

it('reports what was accepted and refused, and connections by listener and state', () => {
  const counts = receivedCounts({
    connections: {
      grpc: { handshake: 1, stranger: 0, idle: 2, busy: 1 },
      http: { handshake: 0, stranger: 1, idle: 0, busy: 0 },
    },
    accepted: [{ tenant: 'acme', signal: 'logs', items: 11 }],
    refused: [{ tenant: undefined, reason: 'unknown_token', count: 9 }],
  });
  expect(counts.map(({ name, value, attributes = {} }) => [name, ...Object.values(attributes), value].join(' '))).toEqual([
    'svc.ingest.accepted otlp logs acme 11',
    'svc.ingest.refused otlp unknown_token 9',
    'svc.otlp.connections 5',
    ...['handshake 1', 'stranger 0', 'idle 2', 'busy 1'].map((end) => `svc.edge.connections otlp-grpc ${end}`),
    ...['handshake 0', 'stranger 1', 'idle 0', 'busy 0'].map((end) => `svc.edge.connections otlp-http ${end}`),
  ]);
});

it('reports no connection while nothing is received', () => {
  const counts = receivedCounts({ connections: undefined, accepted: [], refused: [] });
  expect(counts).toEqual([{ name: 'svc.otlp.connections', value: 0 }]);
});
