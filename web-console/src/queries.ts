import type { FleetFilter, FleetSort } from '@svc/contracts/endpoint/view';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask } from './api.ts';

/** How often live pages ask again; not at all while the window is hidden, by TanStack Query's own rule. */
export const POLL_MS = 12_000;

/** Who is signed in; asked once a visit and again every five minutes. */
export const meQuery = queryOptions({
  queryKey: ['identity.me'],
  queryFn: ({ signal }) => ask('identity.me', {}, signal),
  staleTime: 5 * 60_000,
  meta: { shell: true },
});

/** Counts, shared causes and filter choices of the whole fleet. */
export const summaryQuery = queryOptions({
  queryKey: ['endpoint.summary'],
  queryFn: ({ signal }) => ask('endpoint.summary', {}, signal),
  refetchInterval: POLL_MS,
  meta: { shell: true },
});

export interface FleetPageInput {
  filter: FleetFilter;
  sort: FleetSort;
  limit: number;
  offset: number;
}

/** One page of the fleet; the page before stays on screen until the next one is there. */
export const fleetQuery = ({ filter, sort, limit, offset }: FleetPageInput) =>
  queryOptions({
    queryKey: ['endpoint.list', filter, sort, limit, offset],
    queryFn: ({ signal }) => ask('endpoint.list', { filter, sort, limit, offset }, signal),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });
