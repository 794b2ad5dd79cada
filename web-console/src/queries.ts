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

/** How many incidents are open, and whether anything became of one: asked often, since it costs next to nothing. */
export const pulseQuery = queryOptions({
  queryKey: ['incidents.pulse'],
  queryFn: ({ signal }) => ask('incidents.pulse', undefined, signal),
  refetchInterval: 1_500,
  meta: { shell: true },
});

/** Messages to connectors that nobody sends any more, beside those that wait. */
export const notifyPulseQuery = queryOptions({
  queryKey: ['notify.pulse'],
  queryFn: ({ signal }) => ask('notify.pulse', undefined, signal),
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
