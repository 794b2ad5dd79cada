import type { ViewPage } from '@svc/contracts/saved-views/saved-view';
import { queryOptions } from '@tanstack/react-query';
import { ask } from '../../api.ts';
import type { Output } from '../../api-types.ts';
import { type LeftOut, leftOut } from '../address/known-search.ts';
import { parseSearch, stringifySearch } from '../address/search-params.ts';

export type SavedViewList = Output<'savedViews.list'>;
export type SavedView = SavedViewList['items'][number];

/** The page's own decoder of its address. */
export type Decode = (raw: Record<string, unknown>) => object;

/** A view that the page brings itself. */
export interface BuiltInView {
  name: string;
  /** As in the address, without the question mark. */
  search: string;
}

/** A view as this release of the page understands it. */
export interface ShownView {
  key: string;
  name: string;
  search: object;
  /** The address that it leads to. */
  query: string;
  /** What of it the page does not know any more. */
  unknown: LeftOut[];
  /** Absent for a built-in one. */
  saved?: SavedView;
}

export const viewsQuery = (page: ViewPage) =>
  queryOptions({
    queryKey: ['savedViews.list', page],
    queryFn: ({ signal }) => ask('savedViews.list', { page }, signal),
    staleTime: 60_000,
  });

/** Names the time even where the view has none: a link that names none takes along the one of the page. */
const NO_TIME = { range: undefined, from: undefined, to: undefined };

/** Without the question mark, as it is saved. */
export const toSaved = (query: string): string => query.replace(/^\?/, '');

/** The address of a search, the same whatever the order of its keys: that depends on what was chosen first. */
export const queryOf = (search: object): string =>
  stringifySearch(Object.fromEntries(Object.entries(search).toSorted(([a], [b]) => (a < b ? -1 : 1))));

export function toShown(view: BuiltInView | SavedView, decode: Decode): ShownView {
  const raw = parseSearch(view.search);
  const known = decode(raw);
  const isSaved = 'id' in view;
  return {
    key: isSaved ? view.id : view.name,
    name: view.name,
    search: { ...NO_TIME, ...known },
    query: queryOf(known),
    unknown: leftOut(raw, known),
    ...(isSaved ? { saved: view } : {}),
  };
}

/** The view that the address shows: a saved one before a built-in one that asks for the same. */
export const currentView = (views: readonly ShownView[], query: string): ShownView | undefined =>
  views.find((view) => view.saved && view.query === query) ?? views.find((view) => view.query === query);

/** What somebody may do with a view, in the order of its menu. */
export interface ViewActs {
  update: boolean;
  rename: boolean;
  share: 'share' | 'unshare' | undefined;
  remove: boolean;
}

export function actsOn(view: SavedView, list: SavedViewList, isShownNow: boolean): ViewActs {
  const { is_mine: isMine, shared } = view;
  const changes = isMine && (!shared || list.may_share);
  const share = shared ? 'unshare' : 'share';
  return {
    update: changes && !isShownNow,
    rename: changes,
    share: isMine && (shared || list.may_share) ? share : undefined,
    remove: isMine || (shared && list.may_delete_any),
  };
}
