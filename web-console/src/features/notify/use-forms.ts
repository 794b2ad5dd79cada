import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api.ts';

/** What each provider wants to know; of this server, so it stays the same while the page is open. */
export const useForms = () =>
  useQuery({
    queryKey: ['notify.connectors.forms'],
    queryFn: ({ signal }) => ask('notify.connectors.forms', undefined, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
