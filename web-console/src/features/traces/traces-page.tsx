import './traces.css';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { ask } from '../../api.ts';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { ChangeLane } from '../../ui/changes/change-lane.tsx';
import { Button, Segments } from '../../ui/controls/controls.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ServiceColors } from '../../ui/services/service-colors.tsx';
import { ViewsMenu } from '../../ui/views/views-menu.tsx';
import { plural } from '../../ui/words/format.ts';
import { FacetsPanel } from './facets-panel.tsx';
import { FilterChips } from './filter-chips.tsx';
import { stepsFor } from './quantile-lines.ts';
import { ScatterCard } from './scatter-card.tsx';
import { SpansTable } from './spans-table.tsx';
import { NothingMatches, NothingYet } from './traces-empty.tsx';
import { TracesHead } from './traces-head.tsx';
import { countFilters, decodeTracesSearch, filterOf, type SpanFilter, type TracesSearch, windowOf } from './traces-search.ts';
import { TracesTable } from './traces-table.tsx';

const route = getRouteApi('/traces');
const PAGE = 50;
const BUILT_IN = [{ name: 'All traces', search: '' }];
/** While nothing has ever come, the page looks for the first span automatically. */
const WAITING_POLL_MS = 3000;

type Question = SpanFilter & { from: string; to: string };

/** What the whole page asks about; one window for all its parts, taken anew when the filter changes or the reader asks. */
function useQuestion(search: TracesSearch): { question: Question; renew: () => void } {
  const [renewed, setRenewed] = useState(0);
  const { range, from, to } = search;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `renewed` stands for the clock.
  const window = useMemo(() => windowOf({ range, from, to }, Date.now()), [range, from, to, renewed]);
  return { question: { ...filterOf(search), ...window }, renew: useCallback(() => setRenewed((count) => count + 1), []) };
}

const useFacets = (question: Question) =>
  useQuery({
    queryKey: ['traces.facets', question],
    queryFn: ({ signal }) => ask('traces.facets', question, signal),
    placeholderData: keepPreviousData,
  });

const useScatter = (question: Question) =>
  useQuery({
    queryKey: ['traces.scatter', question],
    queryFn: ({ signal }) => ask('traces.scatter', question, signal),
    placeholderData: keepPreviousData,
  });

/** Lines over the points: asked for when these are there, which people look at first. */
const useLatency = (question: Question, steps: number | undefined) =>
  useQuery({
    queryKey: ['traces.latency', question, steps],
    queryFn: ({ signal }) => ask('traces.latency', { ...question, steps }, signal),
    enabled: steps !== undefined,
  });

/** Where did the time go: requests over time, and a list to open one. */
export function TracesPage() {
  const search = route.useSearch();
  const change = useSearchChange<TracesSearch>();
  const { question, renew } = useQuestion(search);
  const scatter = useScatter(question);
  const latency = useLatency(question, scatter.data && !scatter.isPlaceholderData ? stepsFor(scatter.data.total) : undefined);
  const facets = useFacets(question);
  const waits = facets.data?.any === false;
  useEffect(() => {
    if (!waits) return;
    const timer = setInterval(renew, WAITING_POLL_MS);
    return () => clearInterval(timer);
  }, [waits, renew]);
  const failed = scatter.error ?? facets.error;
  if (failed && !scatter.data) return <Failure error={failed} retry={renew} kept="Your filters are kept." />;
  return (
    <div className="page tr-page">
      <div className="pagehead">
        <TracesHead scatter={scatter.data} search={search} />
        <div className="row">
          <ViewsMenu page="traces" search={search} decode={decodeTracesSearch} builtIn={BUILT_IN} />
          <Button icon="update" look="quiet" busy={scatter.isFetching} onClick={renew}>
            Refresh
          </Button>
        </div>
      </div>
      {waits ? (
        <section className="card" aria-label="Nothing yet">
          <NothingYet />
        </section>
      ) : (
        <ServiceColors names={facets.data?.services.map(({ name }) => name) ?? []}>
          <div className="row tr-chips">
            <FilterChips search={search} facets={facets.data} question={question} onChange={change} />
          </div>
          <ChangeLane targets={search.service ?? []} span={{ from: Date.parse(question.from), to: Date.parse(question.to) }}>
            <ScatterCard
              scatter={scatter.data}
              latency={latency.data}
              linesFailed={latency.isError}
              stale={scatter.isPlaceholderData}
              onBrush={change}
            />
          </ChangeLane>
          <div className="tr-split">
            <FacetsPanel facets={facets.data} search={search} onChange={change} />
            <Results question={question} search={search} onChange={change} />
          </div>
        </ServiceColors>
      )}
    </div>
  );
}

interface ResultsProps {
  question: Question;
  search: TracesSearch;
  onChange: (part: TracesSearch) => void;
}

function Results({ question, search, onChange }: ResultsProps) {
  const view = search.view ?? 'traces';
  const sort = search.sort ?? 'time';
  return (
    <section className="card tr-results" aria-label="Found">
      <header>
        <Segments
          label="What is listed"
          value={view}
          options={[
            { value: 'traces', label: 'Traces' },
            { value: 'spans', label: 'Spans' },
          ]}
          onChange={(next) => onChange({ view: next === 'spans' ? 'spans' : undefined })}
        />
        <span className="grow" />
        <Segments
          label="Order"
          value={sort}
          options={[
            { value: 'time', label: 'Newest' },
            { value: 'duration', label: 'Slowest' },
          ]}
          onChange={(next) => onChange({ sort: next === 'duration' ? 'duration' : undefined })}
        />
      </header>
      {view === 'traces' ? (
        <FoundTraces question={question} search={search} onChange={onChange} />
      ) : (
        <FoundSpans question={question} search={search} onChange={onChange} />
      )}
    </section>
  );
}

type ListInput = Question & { sort: 'time' | 'duration'; limit: number; cursor?: string };

/** Pages of a list, each of which goes on where the one before ended. */
function usePages<Page extends { next_cursor: string | null }>(
  name: string,
  { question, search }: Pick<ResultsProps, 'question' | 'search'>,
  read: (input: ListInput, signal: AbortSignal) => Promise<Page>,
) {
  const sort = search.sort ?? 'time';
  return useInfiniteQuery({
    queryKey: [name, question, sort],
    queryFn: ({ pageParam, signal }) =>
      read({ ...question, sort, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
}

function FoundTraces({ question, search, onChange }: ResultsProps) {
  // What matches is counted by the headline and drawn by the plot as roots where it can be. Without a filter the list has traces without a root too.
  const of = countFilters(search) > 0 ? 'roots' : 'spans';
  const pages = usePages('traces.list', { question, search }, (input, signal) => ask('traces.list', { ...input, of }, signal));
  const items = pages.data?.pages.flatMap((page) => page.items);
  const isOfFailedRoots = pages.data?.pages[0]?.of === 'roots' && (search.status?.includes('error') ?? false);
  if (pages.error && !items) return <Failure error={pages.error} retry={() => pages.refetch()} kept="Your filters are kept." />;
  if (items?.length === 0 && !pages.hasNextPage) return <NothingMatches search={search} onChange={onChange} />;
  return (
    <>
      <TracesTable items={items} />
      <More pages={pages} count={items?.length ?? 0} noun="trace">
        {isOfFailedRoots ? (
          <>
            Requests that failed as a whole.{' '}
            <button type="button" className="linkish" onClick={() => onChange({ view: 'spans' })}>
              Show all failed spans
            </button>
          </>
        ) : null}
      </More>
    </>
  );
}

function FoundSpans({ question, search, onChange }: ResultsProps) {
  const pages = usePages('traces.spans', { question, search }, (input, signal) => ask('traces.spans', input, signal));
  const items = pages.data?.pages.flatMap((page) => page.items);
  if (pages.error && !items) return <Failure error={pages.error} retry={() => pages.refetch()} kept="Your filters are kept." />;
  if (items?.length === 0) return <NothingMatches search={search} onChange={onChange} />;
  return (
    <>
      <SpansTable items={items} />
      <More pages={pages} count={items?.length ?? 0} noun="span" />
    </>
  );
}

interface MoreProps {
  pages: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
  count: number;
  noun: string;
  children?: ReactNode;
}

function More({ pages, count, noun, children }: MoreProps) {
  if (count === 0 && !pages.hasNextPage) return null;
  return (
    <footer className="tr-foot">
      {pages.hasNextPage ? (
        <Button look="quiet" busy={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
          Show more
        </Button>
      ) : null}
      <span className="mute s">
        {plural(count, noun)}
        {pages.hasNextPage ? ' so far' : ', that is all'}
      </span>
      {children ? <span className="mute s">{children}</span> : null}
    </footer>
  );
}
