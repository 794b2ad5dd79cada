import type { Count } from './features/self-metrics/index.ts';

/** What the slices whose numbers are told keep. */
export interface CountingSlices {
  endpoint: { counters: { accepted: number; rejected: number } };
  results: { stats: () => { stored: number; refused: Readonly<Record<string, number>> } };
}

const byReason = (source: string, refused: Readonly<Record<string, number>>): Count[] =>
  Object.entries(refused).map(([reason, value]) => ({ name: 'svc.ingest.refused', value, attributes: { source, reason } }));

/** The numbers of all slices under their metrics' names. */
export function readCounts({ endpoint, results }: CountingSlices): Count[] {
  const { stored, refused } = results.stats();
  return [
    { name: 'svc.ingest.accepted', value: endpoint.counters.accepted, attributes: { source: 'agents' } },
    ...byReason('agents', { invalid: endpoint.counters.rejected }),
    { name: 'svc.ingest.stored', value: stored, attributes: { source: 'results' } },
    ...byReason('results', refused),
  ];
}
