import './outbox.css';
import type { OutboxCounts } from '@svc/contracts/notify/outbox';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../../api.ts';
import { POLL_MS } from '../../../queries.ts';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { connectorsQuery } from '../../../ui/notify/notify-queries.ts';
import { NotifyTabs } from '../../../ui/notify/notify-tabs.tsx';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { useSteadyRows } from '../../../ui/table/steady-rows.ts';
import { formatCount, plural } from '../../../ui/words/format.ts';
import { OutboxFilters } from './outbox-filters.tsx';
import type { OutboxSearch } from './outbox-search.ts';
import { OutboxTable } from './outbox-table.tsx';
import { describeRest, STATE_GROUPS } from './outbox-words.ts';

const route = getRouteApi('/notify/outbox');
const PAGE = 50;
/** Somebody waits for a message to go. */
const EVERY_MS = 4_000;

/** What is said to connectors, the newest first. */
export function OutboxPage() {
  const search = route.useSearch();
  const { message: _open, ...filter } = search;
  const [isHeld, setHeld] = useState(false);
  const list = useInfiniteQuery({
    queryKey: ['notify.outbox.list', filter],
    queryFn: ({ pageParam, signal }) =>
      ask('notify.outbox.list', { ...filter, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? POLL_MS : EVERY_MS),
    placeholderData: keepPreviousData,
  });
  const pages = list.data?.pages;
  const view = `${JSON.stringify(filter)}/${pages?.length ?? 0}`;
  const items = useSteadyRows(
    pages?.flatMap((page) => page.items),
    { view, held: isHeld },
  );
  const counts = pages?.[0]?.counts;
  return (
    <div className="page wide">
      <header className="pagehead">
        <div className="grow">
          <h1 aria-live="polite">{counts ? <Sentence counts={counts} /> : <Ghost width={360} says="Outbox, loading" />}</h1>
          <p className="soft">{counts ? describeRest(counts) : <Ghost width={280} />}</p>
        </div>
      </header>
      <NotifyTabs />
      <section className="card obx-card" aria-label="Outbox">
        <OutboxFilters
          search={search}
          counts={counts}
          incident={items?.find(({ incident }) => incident.id === search.incident)?.incident}
        />
        {list.isError && !items ? (
          <Failure error={list.error} retry={() => void list.refetch()} kept="Your filters are kept." />
        ) : items?.length === 0 ? (
          <NoMessage search={search} />
        ) : (
          <OutboxTable items={items} open={search.message} onHeld={setHeld} />
        )}
        {items && items.length > 0 ? (
          <footer className="obx-foot">
            <span className="mute s">{plural(items.length, 'message')} shown</span>
            {list.hasNextPage ? (
              <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                Older messages
              </Button>
            ) : null}
          </footer>
        ) : null}
      </section>
    </div>
  );
}

/** Whether anybody was not told who should be. */
function Sentence({ counts: { dead, waiting, sent, held_back } }: { counts: OutboxCounts }) {
  const waits = waiting === 1 ? '1 message waits' : `${formatCount(waiting)} messages wait`;
  const link = (group: keyof typeof STATE_GROUPS, words: string) => (
    <Link to="/notify/outbox" search={{ state: [...STATE_GROUPS[group]] }} className="obx-count">
      {words}
    </Link>
  );
  if (dead > 0)
    return (
      <>
        {link('dead', dead === 1 ? '1 message is dead' : `${formatCount(dead)} messages are dead`)}:{' '}
        {dead === 1 ? 'it is' : 'they are'} not tried any more.
        {waiting > 0 ? <> {link('waiting', waits)}.</> : null}
      </>
    );
  if (waiting > 0) return <>{link('waiting', waits)}, none is dead.</>;
  return sent + held_back > 0 ? 'Everything was said that had to be.' : 'Nothing had to be said yet.';
}

const NO_FILTERS = { state: undefined, connector: undefined, incident: undefined, message: undefined } as const;

/** Why there is none: filters, nobody to tell, or no incident since. */
function NoMessage({ search: { state, connector, incident } }: { search: OutboxSearch }) {
  const change = useSearchChange<OutboxSearch>();
  const connectors = useQuery(connectorsQuery).data?.items;
  const filters = [state, connector, incident].filter((value) => value !== undefined).length;
  if (filters > 0)
    return (
      <EmptyState icon="filter" title="No message matches">
        <p>
          <button type="button" className="linkish" onClick={() => change(NO_FILTERS)}>
            Clear {filters === 1 ? 'the filter' : `${filters} filters`}
          </button>
        </p>
      </EmptyState>
    );
  if (connectors?.length === 0)
    return (
      <EmptyState icon="bell" title="Nobody is told of incidents">
        <p>
          <Link to="/notify">Add a connector</Link>: PagerDuty, Opsgenie, Slack, Teams, ServiceNow, Jira, e-mail or a webhook of
          your own.
        </p>
      </EmptyState>
    );
  return (
    <EmptyState icon="check" title="Nothing was said yet">
      <p>The next incident appears here, message by message. A connector’s test leaves none.</p>
    </EmptyState>
  );
}
