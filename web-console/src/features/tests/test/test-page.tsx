import './test.css';
import './test-cards.css';
import type { TestView } from '@svc/contracts/tests/views';
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { ask, tell } from '../../../api.ts';
import { POLL_MS } from '../../../queries.ts';
import { stringifySearch } from '../../../ui/address/search-params.ts';
import { RANGES, rangeReaching } from '../../../ui/address/time-range.ts';
import { type HistoryRule, useSearchChange } from '../../../ui/address/use-search-change.ts';
import { ChangeLane } from '../../../ui/changes/change-lane.tsx';
import { brushSearch, shownSpan } from '../../../ui/charts/brush-search.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { useNow } from '../../../ui/moments/time.tsx';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure, isUnknownId } from '../../../ui/placeholders/failure.tsx';
import { UsersOfHosts } from '../../../ui/rum/users-of-hosts.tsx';
import { DrawerBeside } from '../drawer-beside.tsx';
import { hostOf } from '../target-host.ts';
import { CHANGED, testQuery } from '../test-queries.ts';
import { useRun } from '../use-run.ts';
import { AssertionsCard } from './assertions-card.tsx';
import { CertificateCard } from './certificate-card.tsx';
import { ChangesCard } from './changes-card.tsx';
import { FactsCard } from './facts-card.tsx';
import { PhasesCard, type Reading } from './phases-card.tsx';
import { RunNowCard } from './run-now-card.tsx';
import { RunnersCard, WhyNotCard } from './runners-card.tsx';
import { type RunPages, RunsCard } from './runs-card.tsx';
import { ShotsCard } from './shots-card.tsx';
import { ALL, StripCard } from './strip-card.tsx';
import { TestActions } from './test-actions.tsx';
import { TestHead } from './test-head.tsx';
import { TEST_RANGE, type TestSearch } from './test-search.ts';

const route = getRouteApi('/tests/$id');
const BARS = 144;
const POINTS = 120;
const RUNS = 25;
/** The strip's end moves in steps, so that a page that is looked at asks again now and then and not at every frame. */
const LIVE_STEP_MS = 15_000;

const iso = (at: number): string => new Date(at).toISOString();

/** Does this target answer, since when not, and why? */
export function TestPage() {
  const { id } = route.useParams();
  const search = route.useSearch();
  const view = useQuery(testQuery(id));
  const name = view.data?.row.test.name;
  useEffect(() => {
    document.title = name ?? 'Test';
  }, [name]);
  let content = <TestGhost />;
  if (isUnknownId(view.error)) content = <NoSuchTest />;
  else if (view.isError && !view.data)
    content = <Failure error={view.error} retry={() => void view.refetch()} kept="The address keeps the chosen time." />;
  else if (view.data) content = <Test key={id} view={view.data} />;
  return (
    <DrawerBeside search={search} own={id}>
      {content}
    </DrawerBeside>
  );
}

function NoSuchTest() {
  return (
    <EmptyState icon="target" title="There is no such test" alert>
      <p>
        It was deleted, or the link is incomplete or belongs to another tenant. <Link to="/tests">Open the tests</Link>
      </p>
    </EmptyState>
  );
}

function TestGhost() {
  return (
    <div className="testpage" aria-busy="true">
      <h1>
        <Ghost width={620} says="Test, loading" />
      </h1>
      <section className="card testghost" />
      <section className="card testghost" />
    </div>
  );
}

/** The runner that is looked at: the one of the address, else the first that fails, else the first. */
function chosenRunner({ runners }: TestView, asked: string | undefined): string {
  if (asked === ALL || runners.some(({ id }) => id === asked)) return asked ?? ALL;
  return (runners.find(({ state }) => state === 'failing') ?? runners[0])?.id ?? ALL;
}

/** The time shown, and how the strip's brush changes it. */
function useTestTime(search: TestSearch) {
  const setSearch = useSearchChange<TestSearch>();
  const live = Math.ceil(useNow(LIVE_STEP_MS) / LIVE_STEP_MS) * LIVE_STEP_MS;
  const range = rangeReaching(search, TEST_RANGE, live);
  const strip = useMemo(() => ({ from: live - RANGES[range], to: live }), [live, range]);
  const stepMs = RANGES[range] / BARS;
  const span = useMemo(() => shownSpan({ from: search.from, to: search.to }, strip), [search.from, search.to, strip]);
  const onBrush = (next: TimeSpan | undefined, rule?: HistoryRule): void => {
    // A strip that was lengthened for its window stays so while the window is moved on it.
    const strips = range === (search.range ?? TEST_RANGE.usual) ? {} : { range };
    const brushedTo = brushSearch(next, { strip, stepMs });
    setSearch(brushedTo.from ? { ...strips, ...brushedTo } : brushedTo, rule);
  };
  return { range, strip, stepMs, span, onBrush, setSearch };
}

interface Looked {
  id: string;
  runner: string | undefined;
}

function useStrip({ id, runner }: Looked, strip: TimeSpan) {
  return useQuery({
    queryKey: ['tests.strip', id, runner, strip.from, strip.to],
    queryFn: ({ signal }) =>
      ask('tests.strip', { id, ...(runner ? { runner } : {}), from: iso(strip.from), to: iso(strip.to), bars: BARS }, signal),
    placeholderData: keepPreviousData,
  });
}

function useSeries({ id, runner }: Looked, span: TimeSpan) {
  return useQuery({
    queryKey: ['tests.series', id, runner, span.from, span.to],
    queryFn: ({ signal }) =>
      ask('tests.series', { id, ...(runner ? { runner } : {}), from: iso(span.from), to: iso(span.to), points: POINTS }, signal),
    placeholderData: keepPreviousData,
  });
}

function useRuns({ id, runner }: Looked, window: Partial<TimeSpan>, failedOnly: boolean): RunPages {
  const { from, to } = window;
  const wanted = {
    ...(runner ? { runner } : {}),
    ...(failedOnly ? { success: false } : {}),
    ...(from !== undefined && to !== undefined ? { from: iso(from), to: iso(to) } : {}),
  };
  const list = useInfiniteQuery({
    queryKey: ['tests.runs', id, runner, from, to, failedOnly],
    queryFn: ({ signal, pageParam }) =>
      ask('tests.runs', { id, limit: RUNS, ...wanted, ...(pageParam ? { cursor: pageParam } : {}) }, signal),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  });
  return {
    pages: list.data?.pages,
    error: list.error,
    retry: () => void list.refetch(),
    more: list.hasNextPage ? () => void list.fetchNextPage() : undefined,
    isMoreBusy: list.isFetchingNextPage,
    csvHref: `/v1/tests/${id}/results.csv${stringifySearch(wanted)}`,
  };
}

/** Limits that the page draws: of the total, and of the certificate's days. */
function limitsOf({ row: { test } }: TestView): { totalMs: number | undefined; certificateDays: number | undefined } {
  const assertions = test.params.assertions as { total_ms?: number; certificate_days?: number };
  return { totalMs: assertions.total_ms, certificateDays: assertions.certificate_days };
}

function Test({ view }: { view: TestView }) {
  const search = route.useSearch();
  const time = useTestTime(search);
  const { test } = view.row;
  const runner = chosenRunner(view, search.runner);
  const bars = useStrip({ id: test.id, runner: runner === ALL ? undefined : runner }, time.strip);
  const queryClient = useQueryClient();
  const run = useRun(
    () => tell('tests.runNow', { id: test.id }),
    () => void Promise.all(CHANGED.map((queryKey) => queryClient.invalidateQueries({ queryKey }))),
  );
  return (
    <div className="testpage" aria-busy={bars.isPlaceholderData}>
      <TestHead view={view} actions={<TestActions row={view.row} run={run} />} />
      <RunNowCard run={run} type={test.type} onOpen={(resultId) => time.setSearch({ run: resultId })} />
      <FactsCard view={view} />
      <UsersOfHosts hosts={[hostOf(test.target) ?? []].flat()} />
      <ChangeLane targets={[test.target]} span={time.strip}>
        {bars.isError && !bars.data ? (
          <Failure error={bars.error} retry={() => void bars.refetch()} />
        ) : (
          <StripCard
            bars={bars.data?.bars ?? []}
            strip={time.strip}
            stepMs={time.stepMs}
            shown={time.span}
            range={time.range}
            runners={view.runners}
            runner={runner}
            onRunner={(next) => time.setSearch({ runner: next })}
            onBrush={time.onBrush}
          />
        )}
        <PhasesRow view={view} runner={runner} span={time.span} />
      </ChangeLane>
      <RunsRow view={view} search={search} time={time} />
      <FactsRow view={view} />
    </div>
  );
}

interface PhasesRowProps {
  view: TestView;
  runner: string;
  span: TimeSpan;
}

/** The chart, and beside it what the last run was held against and what the chart is read at. */
function PhasesRow({ view, runner, span }: PhasesRowProps) {
  const { row, runners } = view;
  const [reading, setReading] = useState<Reading>({ at: undefined, pinned: false });
  const series = useSeries({ id: row.test.id, runner: runner === ALL ? undefined : runner }, span);
  return (
    <div className="testgrid-8-4">
      {series.isError && !series.data ? (
        <Failure error={series.error} retry={() => void series.refetch()} />
      ) : (
        <PhasesCard
          series={series.data}
          type={row.test.type}
          span={span}
          limitMs={limitsOf(view).totalMs}
          from={runners.length > 1 ? runners.find(({ id }) => id === runner)?.name : undefined}
          reading={reading}
          onRead={setReading}
        />
      )}
      <AssertionsCard view={view} point={series.data?.points.find(({ at }) => at === reading.at)} pinned={reading.pinned} />
    </div>
  );
}

interface RunsRowProps {
  view: TestView;
  search: TestSearch;
  time: ReturnType<typeof useTestTime>;
}

/** Runs of the brushed time, else the latest; of the runner that somebody chose, else of all. */
function RunsRow({ view: { row }, search, time: { strip, span, setSearch } }: RunsRowProps) {
  const { test } = row;
  const isBrushed = span.from !== strip.from || span.to !== strip.to;
  const runner = search.runner === ALL ? undefined : search.runner;
  const runs = useRuns({ id: test.id, runner }, isBrushed ? span : {}, search.runs === 'failed');
  return (
    <div className={test.type === 'browser' ? 'testgrid-8-4' : 'testgrid-1'}>
      <RunsCard
        row={row}
        runs={runs}
        failedOnly={search.runs === 'failed'}
        onFailedOnly={(only) => setSearch({ runs: only ? 'failed' : undefined })}
        open={search.run}
        onOpen={(resultId) => setSearch({ run: resultId })}
      />
      {test.type === 'browser' ? <ShotsCard testId={test.id} runs={runs.pages?.flatMap(({ items }) => items) ?? []} /> : null}
    </div>
  );
}

/** From where it runs and why not, the certificate, and who changed the test. */
function FactsRow({ view }: { view: TestView }) {
  const silent = view.runners.filter(({ state, conditions }) => state === 'not_running' && conditions.length > 0);
  return (
    <div className="testgrid-fit">
      <RunnersCard view={view} />
      {silent.map((one) => (
        <WhyNotCard key={one.id} runner={one} />
      ))}
      {view.certificate ? (
        <CertificateCard
          certificate={view.certificate}
          changedAt={view.certificate_changed_at}
          warnDays={limitsOf(view).certificateDays}
        />
      ) : null}
      <ChangesCard changes={view.changes} />
    </div>
  );
}
