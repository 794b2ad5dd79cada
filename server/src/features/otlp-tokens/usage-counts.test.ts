import { expect, it } from 'vitest';
import { usageCounts } from './usage-counts.ts';

it('reports what was accepted and refused', () => {
  const counts = usageCounts({
    accepted: [{ tenant: 'acme', signal: 'logs', items: 11 }],
    refused: [{ tenant: undefined, reason: 'unknown_token', count: 9 }],
  });
  expect(counts.map(({ name, value, attributes = {} }) => [name, ...Object.values(attributes), value].join(' '))).toEqual([
    'svc.ingest.accepted otlp logs acme 11',
    'svc.ingest.refused otlp unknown_token 9',
  ]);
});
