import { expect, it } from 'vitest';
import { readCounts } from './read-counts.ts';

it('tells every slice’s numbers by source, signal, reason and tenant', () => {
  const counts = readCounts({
    endpoint: {
      counts: () => [
        { tenant: 'acme', word: 'accepted', count: 7 },
        { tenant: undefined, word: 'invalid', count: 2 },
      ],
    },
    results: {
      counts: () => [
        { tenant: 'acme', word: 'stored', count: 6 },
        { tenant: 'acme', word: 'not_json', count: 1 },
      ],
    },
    otlp: {
      storeCounters: () => ({
        tenants: new Map([['logs', new Map([['acme', { rows: 10, truncated: 3, leftOut: 1 }]])]]),
        refused: new Map([['logs', 4]]),
      }),
      heldAnswers: () => new Map([['acme', 12]]),
    },
    otlpReceiver: {
      stats: () => ({
        connections: {
          grpc: { handshake: 1, stranger: 0, idle: 2, busy: 1 },
          http: { handshake: 0, stranger: 1, idle: 0, busy: 0 },
        },
        accepted: [{ tenant: 'acme', signal: 'logs', items: 11 }],
        refused: [{ tenant: undefined, reason: 'unknown_token', count: 9 }],
      }),
    },
    edges: () => ({ https: { handshake: 3, busy: 2 }, agents: undefined }),
    quarantine: {
      counts: () => [
        { tenant: 'acme', topic: 'svc.otlp.logs', reason: 'refused', count: 3 },
        { tenant: 'acme', count: 2 },
      ],
    },
    cardinality: { counts: () => [{ tenant: 'acme', word: 'metric_series folded', count: 30 }] },
    otlpExport: { stats: () => ({ queued: 8, tallies: [{ owner: 'acme', sent: 20, dropped: 21 }] }) },
  });
  const told = counts.map(({ name, value, attributes = {} }) => [name, ...Object.values(attributes), value].join(' '));
  expect(told.sort()).toEqual([
    'svc.bus.quarantine.dropped acme 2',
    'svc.bus.quarantined svc.otlp.logs refused acme 3',
    'svc.edge.connections https busy 2',
    'svc.edge.connections https handshake 3',
    ...['busy 1', 'handshake 1', 'idle 2', 'stranger 0'].map((end) => `svc.edge.connections otlp-grpc ${end}`),
    ...['busy 0', 'handshake 0', 'idle 0', 'stranger 1'].map((end) => `svc.edge.connections otlp-http ${end}`),
    'svc.export.points acme dropped 21',
    'svc.export.points acme sent 20',
    'svc.export.queue 8',
    'svc.ingest.accepted agents acme 7',
    'svc.ingest.accepted otlp logs acme 11',
    'svc.ingest.overflow metric_series folded acme 30',
    'svc.ingest.refused agents invalid true 2',
    'svc.ingest.refused otlp logs acme left_out 1',
    'svc.ingest.refused otlp logs unreadable 4',
    'svc.ingest.refused otlp unknown_token 9',
    'svc.ingest.refused results not_json acme 1',
    'svc.ingest.stored otlp logs acme 10',
    'svc.ingest.stored results acme 6',
    'svc.ingest.truncated otlp logs acme 3',
    'svc.otlp.connections 5',
    'svc.otlp.held acme 12',
  ]);
});
