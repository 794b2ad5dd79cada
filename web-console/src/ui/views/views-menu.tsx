import './views.css';
import type { ViewPage } from '@svc/contracts/saved-views/saved-view';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { describeLeftOut } from '../address/left-out-notice.tsx';
import { IconButton } from '../controls/controls.tsx';
import { Pop } from '../controls/floating.tsx';
import { Icon } from '../controls/icons.tsx';
import { Ghost } from '../placeholders/empty-state.tsx';
import { describeFailure } from '../placeholders/failure.tsx';
import { SaveView } from './save-view.tsx';
import {
  type BuiltInView,
  currentView,
  type Decode,
  queryOf,
  type SavedViewList,
  type ShownView,
  toShown,
  viewsQuery,
} from './saved-views.ts';
import { useDefaultView } from './use-default-view.ts';
import { ViewActions } from './view-actions.tsx';

interface ViewsMenuProps {
  page: ViewPage;
  /** The page's search, without what is of the moment (a page of a list, one record). */
  search: object;
  decode: Decode;
  builtIn: readonly BuiltInView[];
}

/** Names for what the address of a table asks for: the page's own, the reader's and the shared ones, and one that the page opens with. */
export function ViewsMenu({ page, search, decode, builtIn }: ViewsMenuProps) {
  const list = useQuery(viewsQuery(page));
  const query = queryOf(search);
  const views = useMemo(
    () => [...builtIn, ...(list.data?.items ?? [])].map((view) => toShown(view, decode)),
    [builtIn, list.data, decode],
  );
  useDefaultView({ path: `/${page}`, query, views: list.data && views });
  const current = currentView(views, query);
  return (
    <Pop
      width={300}
      position="bottom-end"
      target={(open, toggle) => (
        <button type="button" className="btn quiet views" aria-expanded={open} onClick={toggle}>
          <Icon name="star" size={14} />
          <span className="clip">View: {current?.name ?? 'custom'}</span>
          <Icon name="down" size={12} />
        </button>
      )}
    >
      {(close) => (
        <>
          <ViewList page={page} views={views} list={list.data} query={query} current={current} onClose={close} />
          {list.isPending ? (
            <p className="viewnote">
              <Ghost width={160} />
            </p>
          ) : null}
          {list.isError && !list.data ? (
            <p className="viewnote err" role="alert">
              Saved views could not be read. {describeFailure(list.error).text}{' '}
              <button type="button" className="linkish" onClick={() => void list.refetch()}>
                Try again
              </button>
            </p>
          ) : null}
          {list.data?.items.length === 0 ? (
            <p className="viewnote soft">No saved views yet. Set filters, then name them here.</p>
          ) : null}
          {list.data?.may_save && !current ? <SaveView page={page} query={query} onSaved={close} /> : null}
        </>
      )}
    </Pop>
  );
}

interface ListProps {
  page: ViewPage;
  views: readonly ShownView[];
  list: SavedViewList | undefined;
  query: string;
  current: ShownView | undefined;
  onClose: () => void;
}

function ViewList({ page, views, list, query, current, onClose }: ListProps) {
  const [open, setOpen] = useState<string>();
  const rows = useRef<HTMLUListElement>(null);
  // What had the focus goes with the actions: it goes to the view's button, or where the view is gone, to the first view.
  const finish = (id: string): void => {
    setOpen(undefined);
    const own = rows.current?.querySelector<HTMLElement>(`[data-view="${id}"]`);
    (own ?? rows.current?.querySelector<HTMLElement>('a'))?.focus();
  };
  return (
    <ul className="list" aria-label="Views" ref={rows}>
      {views.map((view) => (
        <li key={view.key} className="flush viewrow">
          <Link
            to={`/${page}`}
            className="opt grow"
            // Else the router takes each view that asks for less than the address for the current one.
            activeOptions={{ exact: true }}
            search={view.search as never}
            aria-current={view === current ? 'true' : undefined}
            onClick={onClose}
          >
            <ViewName view={view} />
          </Link>
          {view.saved && list?.may_save ? (
            <IconButton
              icon="dots"
              label={`Change view ${view.name}`}
              data-view={view.key}
              aria-expanded={open === view.key}
              onClick={() => setOpen(open === view.key ? undefined : view.key)}
            />
          ) : null}
          {view.saved && list && open === view.key ? (
            <ViewActions
              view={view.saved}
              list={list}
              query={query}
              isShown={view.query === query}
              onDone={() => finish(view.key)}
            />
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function ViewName({ view: { name, saved, unknown } }: { view: ShownView }) {
  return (
    <span className="grow viewname">
      <span>{name}</span>
      {saved?.is_default ? <span className="tag">Default</span> : null}
      {saved?.shared ? <span className="tag">{saved.is_mine ? 'Shared by you' : 'Shared'}</span> : null}
      {unknown.length > 0 ? <span className="viewlost xs mute">{describeLeftOut(unknown)}</span> : null}
    </span>
  );
}
