import { useQuery } from '@tanstack/react-query';
import { ask } from '../../../api.ts';
import { POLL_MS } from '../../../queries.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';

const iso = (at: number): string => new Date(at).toISOString();

/** A device as of a stretch of time, asked for again now and then; what is shown stays until the next answer. Undefined asks for nothing. */
export function useDevice(id: string, span: TimeSpan | undefined) {
  const { from, to } = span ?? { from: 0, to: 0 };
  return useQuery({
    queryKey: ['endpoint.device', id, from, to],
    queryFn: ({ signal }) => ask('endpoint.device', { id, from: iso(from), to: iso(to) }, signal),
    placeholderData: (before) => (before?.endpoint.id === id ? before : undefined),
    refetchInterval: POLL_MS,
    enabled: span !== undefined,
  });
}
