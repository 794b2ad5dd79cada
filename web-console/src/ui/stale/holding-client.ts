import { QueryClient } from '@tanstack/react-query';
import { watchOf } from './outage-watch.ts';
import { mayRetry, waitMs } from './retry-rules.ts';

/**
 * The client of every query of the console. What is shown stays while the server does not answer: a query with an answer keeps it, and a
 * changed question keeps the answer of the one before (`placeholderData`), until it is answered. `watchOf(client)` reports it.
 */
export function createHoldingClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      // Asked even where the browser believes that it is offline: that is a failure like any other, and has to be shown.
      queries: { staleTime: 5_000, retry: mayRetry, retryDelay: waitMs, refetchOnWindowFocus: true, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  watchOf(client);
  return client;
}
