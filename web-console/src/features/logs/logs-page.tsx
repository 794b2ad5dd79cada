import './logs.css';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { ask } from '../../api.ts';
import type { LogHistogram, LogRecord } from '../../api-types.ts';
import { pagesUntilNow } from '../../ui/address/pages-until-now.ts';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ServiceColors } from '../../ui/services/service-colors.tsx';
import { formatCount, plural } from '../../ui/words/format.ts';
import { ContextCard } from './context-card.tsx';
import { Histogram, LevelLegend } from './histogram.tsx';
import { type Change, LogChips, LogFacetList, LogFilters } from './log-filters.tsx';
import { LogRow } from './log-row.tsx';
import { describeLogs, describeWindow } from './log-words.ts';
import { countFilters, IN_RANGE, LOGS_RANGE, type LogsSearch, NO_FILTERS, queryOf, windowOf, withOne } from './logs-search.ts';
import { useTail } from './use-tail.ts';

const route = getRouteApi('/logs');
const PAGE = 100;

const windowWords = ({ from, to, range = LOGS_RANGE.usual }: LogsSearch): string =>
  from && to ? describeWindow(from, to) : IN_RANGE[range];

const describeHead = ({ steps, total }: LogHistogram, search: LogsSearch): string =>
  total === 0 && countFilters(search) > 0 ? 'No line passes the filters.' : describeLogs(steps, total, windowWords(search));

/** What did it say? */
export function LogsPage() {
  const search = route.useSearch();
  const change = useSearchChange<LogsSearch>();
  return (
    <div className="page wide logs">
      <LogFilters search={search} onChange={change} />
      <LogChips search={search} onChange={change} />
      {search.live === 'on' ? <LiveLogs search={search} onChange={change} /> : <StoredLogs search={search} onChange={change} />}
    </div>
  );
}

interface PartProps {
  search: LogsSearch;
  onChange: Change;
}

function StoredLogs({ search, onChange }: PartProps) {
  const query = queryOf(search);
  const { from, to, range } = search;
  const key = [query, from, to, range] as const;
  // All three anew at each visit, or the plot and the list of one page would be of two times.
  const kept = { placeholderData: keepPreviousData, staleTime: 0, refetchOnWindowFocus: false } as const;
  const histogram = useQuery({
    queryKey: ['logs.histogram', ...key],
    queryFn: ({ signal }) => ask('logs.histogram', { ...query, ...windowOf(search, Date.now()) }, signal),
    ...kept,
  });
  const facets = useQuery({
    queryKey: ['logs.facets', ...key],
    queryFn: ({ signal }) => ask('logs.facets', { ...query, ...windowOf(search, Date.now()) }, signal),
    ...kept,
  });
  const list = useInfiniteQuery({
    ...pagesUntilNow({
      key: ['logs.list', ...key],
      read: ({ untilMs, cursor }, signal) =>
        ask('logs.list', { ...query, ...windowOf(search, untilMs), limit: PAGE, ...(cursor ? { cursor } : {}) }, signal),
    }),
    ...kept,
  });
  if (list.isError && !list.data)
    return <Failure error={list.error} retry={() => void list.refetch()} kept="Your filters are kept." />;
  const items = list.data?.pages.flatMap((page) => page.items);
  return (
    <ServiceColors names={facets.data?.services.map(({ value }) => value) ?? []}>
      <header className="pagehead">
        <h1 aria-live="polite">
          {histogram.data ? describeHead(histogram.data, search) : <Ghost width={420} says="Logs, loading" />}
        </h1>
      </header>
      {items?.length === 0 ? (
        <section className="card">
          <NoLines search={search} onChange={onChange} />
        </section>
      ) : (
        <>
          <section className="card" aria-labelledby="hist-h">
            <header>
              <h2 id="hist-h">Lines over time</h2>
              <span className="grow" />
              {histogram.data ? <LevelLegend data={histogram.data} /> : null}
            </header>
            {histogram.data ? (
              <Histogram data={histogram.data} onBrush={(start, end) => onChange({ from: start, to: end, range: undefined })} />
            ) : (
              <div className="loghist waiting" />
            )}
          </section>
          {search.around ? (
            <ContextCard id={search.around} onClose={() => onChange({ around: undefined })} onChange={onChange} search={search} />
          ) : null}
          <div className="logsplit">
            <section className="card loglist" aria-labelledby="lines-h">
              <header>
                <h2 id="lines-h">Lines, newest first</h2>
                <span className="s mute">{items ? `${formatCount(items.length)} shown` : ''}</span>
              </header>
              <Lines items={items} search={search} onChange={onChange} />
              {list.hasNextPage ? (
                <footer className="foot">
                  <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                    Older lines
                  </Button>
                </footer>
              ) : null}
            </section>
            <details className="card facets" open={innerWidth > 900}>
              <summary className="med">In these lines</summary>
              {facets.data ? <LogFacetList facets={facets.data} search={search} onChange={onChange} /> : <Ghost width="80%" />}
            </details>
          </div>
        </>
      )}
    </ServiceColors>
  );
}

function LiveLogs({ search, onChange }: PartProps) {
  const tail = useTail(queryOf(search), true);
  return (
    <ServiceColors names={tail.items.map(({ service }) => service)}>
      <header className="pagehead">
        <div>
          <h1>Following live: lines appear about two seconds after they are sent.</h1>
          <p className="soft" role="status">
            {tail.error ? `The last query failed: ${tail.error.message} Retrying every second.` : null}
            {!tail.error && tail.items.length === 0 ? 'No matching line since you began to follow.' : null}
            {!tail.error && tail.items.length > 0 ? `${plural(tail.items.length, 'line')} since you began to follow` : null}
            {tail.more > 0 ? `, and ${formatCount(tail.more)} more than a person reads; narrow the filters to see all.` : null}
          </p>
        </div>
      </header>
      <section className="card loglist" aria-label="Live lines">
        {tail.items.length > 0 ? (
          <Lines items={tail.items} search={search} onChange={onChange} />
        ) : (
          <div className="loghist waiting" />
        )}
      </section>
    </ServiceColors>
  );
}

interface LinesProps extends PartProps {
  items: readonly LogRecord[] | undefined;
}

const GHOSTS = Array.from({ length: 12 }, (_, index) => `ghost-${index}`);

export function Lines({ items, search, onChange }: LinesProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => {
    setOpen((before) => (before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id])));
  }, []);
  const { attribute } = search;
  const onTest = useCallback((test: string) => onChange({ attribute: withOne(attribute, test) }), [attribute, onChange]);
  const onAround = useCallback((around: string) => onChange({ around, live: undefined }), [onChange]);
  if (!items)
    return (
      <ol className="loglines">
        {GHOSTS.map((key) => (
          <li key={key} className="logline">
            <Ghost width="70%" />
          </li>
        ))}
      </ol>
    );
  return (
    <ol className="loglines">
      {items.map((record) => (
        <LogRow
          key={record.id}
          record={record}
          open={open.has(record.id)}
          onToggle={toggle}
          onTest={onTest}
          onAround={onAround}
        />
      ))}
    </ol>
  );
}

function NoLines({ search, onChange }: PartProps) {
  const filters = countFilters(search);
  if (filters > 0)
    return (
      <EmptyState icon="lines" title={`No line matches ${windowWords(search)}`}>
        <p>
          <button type="button" className="linkish" onClick={() => onChange(NO_FILTERS)}>
            Clear {filters === 1 ? 'the filter' : `${filters} filters`}
          </button>
        </p>
      </EmptyState>
    );
  return (
    <EmptyState icon="plug" title={`No log lines ${windowWords(search)}`}>
      <p>
        <Link to="/otlp">Telemetry in</Link> shows how to point an OpenTelemetry SDK or Collector here, with a token of its own;
        its logs appear here two seconds later. Or{' '}
        <Link to="/logs" search={{ range: '7d' }}>
          look at the last 7 days
        </Link>
        .
      </p>
    </EmptyState>
  );
}
