import { expect, it } from 'vitest';
import { ingestCounts } from './own-metrics.ts';

it('counts what came in by source and tenant, and every other word as the reason of a refusal', () => {
  const tally = [
    { tenant: 'acme', word: 'accepted', count: 7 },
    { tenant: undefined, word: 'invalid', count: 2 },
  ];
  expect(ingestCounts(tally, { source: 'agents', success: 'accepted' })).toEqual([
    { name: 'svc.ingest.accepted', value: 7, attributes: { source: 'agents', tenant: 'acme' } },
    { name: 'svc.ingest.refused', value: 2, attributes: { source: 'agents', reason: 'invalid', 'otel.metric.overflow': 'true' } },
  ]);
});
