import { queryOptions } from '@tanstack/react-query';
import { ask } from '../../api.ts';

/** Somebody waits for what a change or a test does. */
const EVERY_MS = 5_000;

export const connectorsQuery = queryOptions({
  queryKey: ['notify.connectors.list'],
  queryFn: ({ signal }) => ask('notify.connectors.list', undefined, signal),
  refetchInterval: EVERY_MS,
});

/** What comes back, and by which webhook; how often that is asked is up to the page. */
export const inboundQuery = queryOptions({
  queryKey: ['notifyInbound.list'],
  queryFn: ({ signal }) => ask('notifyInbound.list', undefined, signal),
});

export const rulesQuery = queryOptions({
  queryKey: ['notifyRules.list'],
  queryFn: ({ signal }) => ask('notifyRules.list', undefined, signal),
  refetchInterval: EVERY_MS,
});
