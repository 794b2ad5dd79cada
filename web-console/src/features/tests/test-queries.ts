import type { TestListQuery } from '@svc/contracts/tests/views';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { POLL_MS } from '../../queries.ts';

/** How many of the worst tests the sentence is made of. */
const WORST = 20;

type ListInput = Partial<TestListQuery>;

/** One page of the list; the page before stays on screen until the next one is there. */
export const testsQuery = (input: ListInput) =>
  queryOptions({
    queryKey: ['tests.list', input],
    queryFn: ({ signal }) => ask('tests.list', input, signal),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });

/** Counts of all tests, and those of which the sentence speaks. */
export const worstQuery = queryOptions({
  queryKey: ['tests.list', 'worst'],
  queryFn: ({ signal }) => ask('tests.list', { state: ['failing', 'not_running'], limit: WORST }, signal),
  refetchInterval: POLL_MS,
});

export const runnersQuery = queryOptions({
  queryKey: ['runners.list'],
  queryFn: ({ signal }) => ask('runners.list', {}, signal),
  refetchInterval: POLL_MS,
});

/** What the tenant is warned of, and when; it seldom changes. */
export const thresholdsQuery = queryOptions({
  queryKey: ['tests.settings.get'],
  queryFn: ({ signal }) => ask('tests.settings.get', {}, signal),
  staleTime: POLL_MS,
});

export const testQuery = (id: string) =>
  queryOptions({
    queryKey: ['tests.get', id],
    queryFn: ({ signal }) => ask('tests.get', { id }, signal),
    refetchInterval: POLL_MS,
  });

/** What asks again once a test was changed. */
export const CHANGED = [['tests.list'], ['tests.get'], ['tests.runs'], ['tests.strip'], ['tests.series']] as const;
