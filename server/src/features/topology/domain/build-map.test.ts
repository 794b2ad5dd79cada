import { expect, test } from 'vitest';
import { buildMap, type EdgeSum } from './build-map.ts';

const sum = (fields: Partial<EdgeSum> & Pick<EdgeSum, 'source' | 'target' | 'kind'>): EdgeSum => ({
  calls: 60,
  errors: 0,
  durations: new Map([[180, 60]]),
  bytes: 0,
  ...fields,
});

test('counts a service by all that it answered, whoever called', () => {
  const { nodes, edges } = buildMap(
    [
      sum({ source: '', target: 'web', kind: 'entry', calls: 120, errors: 3 }),
      sum({ source: '', target: 'web', kind: 'unseen', calls: 30 }),
      sum({ source: 'web', target: 'orders', kind: 'call', errors: 6 }),
      sum({ source: 'orders', target: 'orders', kind: 'call', calls: 10 }),
      sum({ source: 'orders', target: 'db:5432', kind: 'database', calls: 240 }),
    ],
    60,
  );
  const of = (id: string) => nodes.find((node) => node.id === id);
  expect(of('service:web')).toMatchObject({ calls: 150, rate: 2.5, error_ratio: 0.02 });
  expect(of('service:orders')).toMatchObject({ calls: 70, errors: 6 });
  expect(of('database:db:5432')).toMatchObject({ kind: 'database', calls: 240, rate: 4 });
  expect(edges.map(({ source, target, kind }) => [source, target, kind])).toEqual([
    ['service:web', 'service:orders', 'call'],
    ['service:orders', 'database:db:5432', 'database'],
  ]);
});

test('takes an address for the service that has its name, without counting it twice', () => {
  const { nodes, edges } = buildMap(
    [
      sum({ source: 'web', target: 'orders', kind: 'call' }),
      sum({ source: 'web', target: 'orders:8080', kind: 'host', calls: 5 }),
      sum({ source: 'web', target: 'orders.shop.svc.cluster.local', kind: 'host', calls: 1 }),
      sum({ source: 'web', target: 'orders.example.com', kind: 'host', calls: 2 }),
    ],
    60,
  );
  expect(nodes.map(({ id }) => id)).toEqual(['service:web', 'service:orders', 'host:orders.example.com']);
  expect(nodes.find(({ id }) => id === 'service:orders')?.calls).toBe(60);
  expect(edges).toMatchObject([
    { kind: 'call', calls: 66 },
    { kind: 'host', calls: 2 },
  ]);
});

test('shows a service that only sent spans, and one that only calls', () => {
  const { nodes } = buildMap(
    [sum({ source: '', target: 'cron', kind: 'service' }), sum({ source: 'batch', target: 'queue-1', kind: 'queue' })],
    60,
  );
  expect(nodes.map(({ id, calls, p95_ms }) => [id, calls, p95_ms === null])).toEqual([
    ['service:cron', 0, true],
    ['service:batch', 0, true],
    ['queue:queue-1', 60, false],
  ]);
});

test('takes the end of a flow for the database of that host', () => {
  const { nodes, edges } = buildMap(
    [
      sum({ source: 'orders', target: 'pg-2:5432', kind: 'database' }),
      sum({ source: 'orders', target: 'pg-2', kind: 'flow', calls: 0, bytes: 70 }),
    ],
    60,
  );
  expect(nodes.map(({ id }) => id)).toEqual(['service:orders', 'database:pg-2:5432']);
  expect(edges).toMatchObject([{ kind: 'database', calls: 60, bytes: 70 }]);
});

test('puts bytes onto the edge that spans tell of, and draws the rest as flows', () => {
  const { nodes, edges } = buildMap(
    [
      sum({ source: 'web', target: 'orders', kind: 'call' }),
      sum({ source: 'web', target: 'orders', kind: 'flow', calls: 0, bytes: 100 }),
      sum({ source: 'orders', target: 'web', kind: 'flow', calls: 0, bytes: 900 }),
      sum({ source: 'etcd', target: 'backup', kind: 'flow', calls: 0, bytes: 5 }),
      sum({ source: 'backup', target: 'etcd', kind: 'flow', calls: 0, bytes: 50 }),
    ],
    60,
  );
  expect(edges.map(({ source, target, kind, bytes }) => [source, target, kind, bytes])).toEqual([
    ['service:web', 'service:orders', 'call', 1000],
    ['host:backup', 'host:etcd', 'flow', 55],
  ]);
  expect(nodes.find(({ id }) => id === 'service:web')).toMatchObject({ bytes_in: 900, bytes_out: 100 });
});

test('draws a flow from who asked, however much larger the reply is, and keeps whose bytes they were', () => {
  const { nodes, edges } = buildMap(
    [
      sum({ source: 'notify', target: 'kafka', kind: 'reply', calls: 0, bytes: 900 }),
      sum({ source: 'notify', target: 'kafka', kind: 'request', calls: 0, bytes: 100 }),
      sum({ source: 'kafka', target: 'notify', kind: 'flow', calls: 0, bytes: 5000 }),
      sum({ source: 'web', target: 'notify', kind: 'call' }),
      sum({ source: 'web', target: 'notify', kind: 'reply', calls: 0, bytes: 7 }),
    ],
    60,
  );
  expect(edges.map(({ source, target, kind, bytes }) => [source, target, kind, bytes])).toEqual([
    ['service:web', 'service:notify', 'call', 7],
    ['service:notify', 'host:kafka', 'flow', 6000],
  ]);
  expect(nodes.find(({ id }) => id === 'host:kafka')).toMatchObject({ bytes_in: 100, bytes_out: 5900 });
  expect(nodes.find(({ id }) => id === 'service:web')).toMatchObject({ bytes_in: 7, bytes_out: 0 });
});
