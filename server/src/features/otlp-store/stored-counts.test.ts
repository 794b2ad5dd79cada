import { expect, it } from 'vitest';
import { storedCounts } from './stored-counts.ts';

it('reports what became of records by signal and tenant, what nobody can read, and answers held back', () => {
  const stored = {
    tenants: new Map([['logs', new Map([['acme', { rows: 10, truncated: 3, leftOut: 1 }]])]]),
    refused: new Map([['logs', 4]]),
  };
  const counts = storedCounts(stored, new Map([['acme', 12]]));
  expect(counts.map(({ name, value, attributes = {} }) => [name, ...Object.values(attributes), value].join(' '))).toEqual([
    'svc.ingest.stored otlp logs acme 10',
    'svc.ingest.truncated otlp logs acme 3',
    'svc.ingest.refused otlp logs acme left_out 1',
    'svc.ingest.refused otlp logs unreadable 4',
    'svc.otlp.held acme 12',
  ]);
});
