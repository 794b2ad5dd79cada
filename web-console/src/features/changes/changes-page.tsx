import './changes-page.css';
import type { Change } from '@svc/contracts/changes/change';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ask } from '../../api.ts';
import { POLL_MS } from '../../queries.ts';
import { pagesUntilNow } from '../../ui/address/pages-until-now.ts';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { aboutChange, KIND_NAMES, placeOf } from '../../ui/changes/change-words.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time } from '../../ui/moments/time.tsx';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { ChangeFilters } from './change-filters.tsx';
import { countFilters, NO_FILTERS, queryOf, spanOf } from './changes-query.ts';
import type { ChangesSearch } from './changes-search.ts';

const route = getRouteApi('/changes');
const PAGE = 100;
const COLUMNS: readonly Column[] = ['When', numeric('No.'), 'Kind', 'Change', 'Where'];

/** What was done to what runs, the newest first. */
export function ChangesPage() {
  const search = route.useSearch();
  const query = queryOf(search);
  const list = useInfiniteQuery(
    pagesUntilNow({
      key: ['changes.list', query, search.range, search.from, search.to],
      read: ({ untilMs, cursor }, signal) =>
        ask('changes.list', { ...query, ...spanOf(search, untilMs), limit: PAGE, ...(cursor ? { cursor } : {}) }, signal),
      // A window between two moments holds what it held.
      everyMs: search.to === undefined ? POLL_MS : undefined,
    }),
  );
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <div className="page wide">
      <header className="pagehead">
        <div className="grow">
          <h1>Changes</h1>
          <p className="soft">
            Deployments, commits and whatever else other systems tell of. Each incident names those that may have caused it.
          </p>
        </div>
        <Link to="/change-webhooks" className="btn">
          Webhooks
        </Link>
      </header>
      <section className="card" aria-label="Changes">
        <ChangeFilters search={search} />
        {list.isError && !items ? (
          <Failure error={list.error} retry={() => void list.refetch()} kept="Your filters are kept." />
        ) : (
          <Timeline items={items} search={search} />
        )}
        {list.hasNextPage ? (
          <footer className="foot">
            <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Older changes
            </Button>
            <span className="mute s">{formatCount(items?.length ?? 0)} shown</span>
          </footer>
        ) : null}
      </section>
    </div>
  );
}

const GHOSTS = ['a', 'b', 'c', 'd', 'e'];

function Timeline({ items, search }: { items: Change[] | undefined; search: ChangesSearch }) {
  if (items?.length === 0) return <NoChange search={search} />;
  return (
    <ScrollX label="Changes">
      <table className="chg-table" aria-busy={items === undefined}>
        <ColumnHeads columns={COLUMNS} />
        <tbody>
          {items
            ? items.map((item) => <Row key={item.id} item={item} />)
            : GHOSTS.map((key) => (
                <tr key={key}>
                  <td colSpan={COLUMNS.length}>
                    <Ghost width="60%" />
                  </td>
                </tr>
              ))}
        </tbody>
      </table>
    </ScrollX>
  );
}

/** Why there is none: filters, a quiet time, or nobody who tells of any. */
function NoChange({ search }: { search: ChangesSearch }) {
  const change = useSearchChange<ChangesSearch>();
  const webhooks = useQuery({
    queryKey: ['changes.webhooks.list'],
    queryFn: ({ signal }) => ask('changes.webhooks.list', undefined, signal),
    refetchInterval: POLL_MS,
  });
  const filters = countFilters(search);
  if (filters > 0)
    return (
      <EmptyState icon="filter" title="No change matches">
        <p>
          <button type="button" className="linkish" onClick={() => change(NO_FILTERS)}>
            Clear {filters === 1 ? 'the filter' : `${filters} filters`}
          </button>
        </p>
      </EmptyState>
    );
  if (webhooks.data?.items.length === 0)
    return (
      <EmptyState icon="link" title="Nobody tells of changes yet">
        <p>
          <Link to="/change-webhooks">Create a webhook</Link> for GitHub, GitLab or a program of your own.
        </p>
      </EmptyState>
    );
  return (
    <EmptyState icon="check" title="Nothing changed in this time">
      <p>
        <Link to="/change-webhooks">The webhooks</Link> say when they last heard of something.
      </p>
    </EmptyState>
  );
}

function Row({ item }: { item: Change }) {
  const place = placeOf(item);
  return (
    <tr id={`change-${item.number}`}>
      <td>
        <Time at={item.occurred_at} show="moment" />
      </td>
      <td className="n mute">{item.number}</td>
      <td>{KIND_NAMES[item.kind]}</td>
      <td className="chg-title">
        {item.url ? (
          <a href={item.url} target="_blank" rel="noreferrer">
            {item.title}
          </a>
        ) : (
          <span className="med">{item.title}</span>
        )}
        <small>{aboutChange(item)}</small>
        {item.summary ? <small className="chg-summary">{item.summary}</small> : null}
      </td>
      <td className="chg-place">
        {place || <span className="mute">no target</span>}
        {item.target_from === 'table' ? <small>by the webhook’s table</small> : null}
      </td>
    </tr>
  );
}
