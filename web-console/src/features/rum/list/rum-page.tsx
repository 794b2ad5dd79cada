import '../../../ui/page/page-head.css';
import '../../../ui/table/list-table.css';
import '../rum.css';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask } from '../../../api.ts';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { useDraftOpen } from '../../../ui/draft/use-draft.ts';
import { ToldSentence } from '../../../ui/moments/told-sentence.tsx';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { formatCount } from '../../../ui/words/format.ts';
import { overviewPace, type RumOverview, type RumRow } from '../rum-queries.ts';
import { AppsTable } from './apps-table.tsx';
import { CsvButton } from './csv-button.tsx';
import { NoApp } from './no-app.tsx';
import { NotSeenCard } from './not-seen-card.tsx';
import { REGISTER_FORM, RegisterApp } from './register-app.tsx';
import { RumFilters } from './rum-filters.tsx';
import { countFilters, NO_FILTERS, toQuery } from './rum-query.ts';
import type { RumSearch } from './rum-search.ts';

const route = getRouteApi('/rum');
const PAGE = 50;

function useOverview(search: RumSearch) {
  const query = toQuery(search);
  const list = useInfiniteQuery({
    queryKey: ['rum.overview', 'list', query],
    queryFn: ({ pageParam, signal }) =>
      ask('rum.overview', { ...query, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: (asked) => overviewPace(asked.state.data?.pages.flatMap(({ verdicts }) => verdicts)),
    placeholderData: (before) => before,
  });
  return { list, rows: list.data?.pages.flatMap(({ verdicts }) => verdicts), overview: list.data?.pages[0] };
}

const sumOf = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Is it the page, the network or the visitor's device, and do the tests see it? */
export function RumPage() {
  const search = route.useSearch();
  const asked = useOverview(search);
  const { overview } = asked;
  const [registering, setRegistering] = useDraftOpen(REGISTER_FORM);
  const mayWrite = useMay('settings.write');
  const register = (
    <Button
      look="primary"
      icon="plus"
      unavailable={mayWrite ? undefined : refusalWords('settings.write')}
      onClick={() => setRegistering(true)}
    >
      Register an app
    </Button>
  );
  const isEmpty = overview !== undefined && sumOf(overview.counts.states) === 0;
  return (
    <>
      {isEmpty ? <NoApp overview={overview} register={register} /> : <Hosts search={search} asked={asked} register={register} />}
      {/* Outside of both, so that it stays what it is when the first answer comes. */}
      {registering ? <RegisterApp onClose={() => setRegistering(false)} /> : null}
    </>
  );
}

interface HostsProps {
  search: RumSearch;
  asked: ReturnType<typeof useOverview>;
  register: ReactNode;
}

function Hosts({ search, asked: { list, rows, overview }, register }: HostsProps) {
  return (
    <div className="page wide">
      <div className="head">
        <div className="grow">
          <h1>{overview ? <ToldSentence text={overview.sentence} /> : <Headline failed={list.isError} />}</h1>
          <p className="soft">
            Page loads of people who agreed to be measured, next to the tests of the same host. Judged each minute over{' '}
            {overview?.window_minutes ?? 15} minutes.
          </p>
        </div>
        {register}
      </div>
      {overview ? <Surface overview={overview} /> : null}
      <section className="card" aria-label="Apps and hosts">
        <RumFilters search={search} counts={overview?.counts} />
        {list.isError && !rows ? (
          <Failure error={list.error} retry={() => void list.refetch()} kept="Your filters are kept." />
        ) : (
          <Rows rows={rows} search={search} />
        )}
        <footer className="foot">
          <span className="soft nowrap">
            {rows && overview ? `${formatCount(rows.length)} of ${formatCount(overview.total)} shown` : 'Reading'}
          </span>
          {list.hasNextPage ? (
            <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              More hosts
            </Button>
          ) : null}
          <span className="grow" />
          {overview && overview.total > 0 ? <CsvButton search={search} total={overview.total} /> : null}
        </footer>
      </section>
      {overview ? <NotSeenCard rejects={overview.rejects} coverage={overview.coverage_note} /> : null}
    </div>
  );
}

const Headline = ({ failed }: { failed: boolean }) =>
  failed ? 'Real users could not be read.' : <Ghost width={520} says="Real users, loading" />;

/** Where beacons are not taken: why, and what to do. */
function Surface({ overview: { surface, surface_sentence } }: { overview: RumOverview }) {
  if (surface === 'open') return null;
  return (
    <p className="note row" role="status">
      <Icon name="plug" size={14} /> <span>{surface_sentence}</span>
    </p>
  );
}

function Rows({ rows, search }: { rows: RumRow[] | undefined; search: RumSearch }) {
  const change = useSearchChange<RumSearch>();
  if (rows?.length !== 0) return <AppsTable rows={rows} search={search} />;
  const filters = countFilters(search);
  return (
    <EmptyState icon="filter" title="No app or host matches">
      <p>
        <button type="button" className="linkish" onClick={() => change(NO_FILTERS)}>
          Clear {filters === 1 ? 'the filter' : `${filters} filters`}
        </button>
      </p>
    </EmptyState>
  );
}
