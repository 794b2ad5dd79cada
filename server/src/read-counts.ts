import type { Count } from './features/self-metrics/index.ts';

/** What the slices whose numbers are told keep. */
export interface CountingSlices {
  endpoint: { counters: { accepted: number; rejected: number } };
  results: { stats: () => { stored: number; refused: Readonly<Record<string, number>> } };
  otlpExport: { stats: () => { queued: number; tallies: readonly { owner: string; sent: number; dropped: number }[] } };
}

const byReason = (source: string, refused: Readonly<Record<string, number>>): Count[] =>
  Object.entries(refused).map(([reason, value]) => ({ name: 'svc.ingest.refused', value, attributes: { source, reason } }));

/** The numbers of all slices under their metrics' names. */
export function readCounts({ endpoint, results, otlpExport }: CountingSlices): Count[] {
  const { stored, refused } = results.stats();
  const { queued, tallies } = otlpExport.stats();
  return [
    { name: 'svc.ingest.accepted', value: endpoint.counters.accepted, attributes: { source: 'agents' } },
    ...byReason('agents', { invalid: endpoint.counters.rejected }),
    { name: 'svc.ingest.stored', value: stored, attributes: { source: 'results' } },
    ...byReason('results', refused),
    { name: 'svc.export.queue', value: queued },
    ...tallies.flatMap(({ owner, sent, dropped }): Count[] => [
      { name: 'svc.export.points', value: sent, attributes: { owner, outcome: 'sent' } },
      { name: 'svc.export.points', value: dropped, attributes: { owner, outcome: 'dropped' } },
    ]),
  ];
}
