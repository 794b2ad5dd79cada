import type { RumApp, RumApps } from '@svc/contracts/rum/apps';
import type { RumHost, RumHostQuery, RumOverview, RumQuery, RumRow } from '@svc/contracts/rum/views';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import { POLL_MS } from '../../queries.ts';

export type { RumApp, RumApps, RumHost, RumOverview, RumRow };

/** While somebody waits for a first beacon. */
export const WAITING_MS = 1500;
/** As many apps as one answer holds. */
const APPS = 1000;

export const APPS_KEY = ['rum.apps.list'] as const;

/** Every app: few, and named by people. */
export const appsQuery = queryOptions({
  queryKey: APPS_KEY,
  queryFn: ({ signal }) => ask('rum.apps.list', { limit: APPS }, signal),
  refetchInterval: POLL_MS,
});

/** The same answer, asked for again soon as long as an app waits. */
export const appQuery = (name: string) =>
  queryOptions({
    ...appsQuery,
    refetchInterval: (query) => {
      const app = (query.state.data as { items: RumApp[] } | undefined)?.items.find((one) => one.name === name);
      return app?.first_beacon_at ? POLL_MS : WAITING_MS;
    },
  });

const isWaiting = (rows: RumOverview['verdicts']): boolean => rows.some(({ state }) => state === 'waiting');
export const overviewPace = (rows: RumOverview['verdicts'] | undefined): number =>
  rows && isWaiting(rows) ? WAITING_MS * 2 : POLL_MS;

export const overviewQuery = (input: Partial<RumQuery>) =>
  queryOptions({
    queryKey: ['rum.overview', input],
    queryFn: ({ signal }) => ask('rum.overview', input, signal),
    refetchInterval: (query) => overviewPace(query.state.data?.verdicts),
    placeholderData: keepPreviousData,
  });

export const hostQuery = (input: Partial<RumHostQuery> & Pick<RumHostQuery, 'app' | 'host'>) =>
  queryOptions({
    queryKey: ['rum.host', input],
    queryFn: ({ signal }) => ask('rum.host', input, signal),
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });

/** What asks again once an app was changed. */
export const CHANGED = [APPS_KEY, ['rum.overview'], ['rum.host']] as const;
