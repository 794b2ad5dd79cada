import '../../../ui/page/page-head.css';
import '../../../ui/table/list-table.css';
import '../rum.css';
import './host.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { RANGES, readInstant } from '../../../ui/address/time-range.ts';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import type { TimeSpan } from '../../../ui/charts/brush-span.ts';
import { useNow } from '../../../ui/moments/time.tsx';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure, isUnknownId } from '../../../ui/placeholders/failure.tsx';
import { plural } from '../../../ui/words/format.ts';
import { NotSeenCard } from '../list/not-seen-card.tsx';
import { hostQuery, overviewQuery, type RumHost } from '../rum-queries.ts';
import { BrowsersCard, PagesCard } from './groups-cards.tsx';
import { HistoryCard } from './history-card.tsx';
import { HostHead } from './host-head.tsx';
import { HOST_RANGE, type HostSearch } from './host-search.ts';
import { OverTimeCard } from './over-time-card.tsx';
import { VerdictCard } from './verdict-card.tsx';
import { VitalsCard } from './vitals-card.tsx';

const route = getRouteApi('/rum/$app/$host');
const POINTS = 120;
/** The end moves in steps, so that a page that is looked at asks again now and then and not at every frame. */
const LIVE_STEP_MS = 15_000;
/** As many page groups as an app has in one day, and the rest of them. */
const ALL_PAGES = 501;

const iso = (at: number): string => new Date(at).toISOString();

/** The time of the address: two instants, or a range up to now. */
function useSpan(search: HostSearch): TimeSpan {
  const live = Math.ceil(useNow(LIVE_STEP_MS) / LIVE_STEP_MS) * LIVE_STEP_MS;
  const { from, to, range } = search;
  return useMemo(() => {
    if (from && to) return { from: readInstant(from), to: readInstant(to) };
    return { from: live - RANGES[range ?? HOST_RANGE.usual], to: live };
  }, [from, to, range, live]);
}

/** Are the visitors of this host hurt, since when, and do the tests see it? */
export function HostPage() {
  const { app, host } = route.useParams();
  const search = route.useSearch();
  const span = useSpan(search);
  const view = useQuery(
    hostQuery({
      ...{ app, host, from: iso(span.from), to: iso(span.to), points: POINTS, pages: ALL_PAGES },
      ...(search.figures ? { figures: search.figures } : {}),
    }),
  );
  useEffect(() => {
    document.title = `${app}, ${host}`;
  }, [app, host]);
  if (isUnknownId(view.error)) return <NoSuchHost />;
  if (view.isError && !view.data)
    return <Failure error={view.error} retry={() => void view.refetch()} kept="The address keeps the chosen time." />;
  if (!view.data) return <HostGhost />;
  return <Host view={view.data} span={span} search={search} isOld={view.isPlaceholderData} />;
}

function NoSuchHost() {
  return (
    <EmptyState icon="people" title="There is no such app or host" alert>
      <p>
        No beacon of it is kept, or the link is incomplete or belongs to another tenant. <Link to="/rum">Open Real users</Link>
      </p>
    </EmptyState>
  );
}

function HostGhost() {
  return (
    <div className="page wide" aria-busy="true">
      <h1>
        <Ghost width={620} says="Real users of a host, loading" />
      </h1>
      <section className="card rum-ghost" />
      <section className="card rum-ghost" />
    </div>
  );
}

interface HostProps {
  view: RumHost;
  span: TimeSpan;
  search: HostSearch;
  /** Shown until the answer for another time is there. */
  isOld: boolean;
}

function Host({ view, span, search, isOld }: HostProps) {
  const change = useSearchChange<HostSearch>();
  const rejects = useQuery(overviewQuery({ limit: 1 })).data?.rejects;
  return (
    <div className="page wide" aria-busy={isOld}>
      <HostHead view={view} />
      <div className="rum-7-5">
        <HistoryCard view={view} span={span} />
        <VerdictCard view={view} />
      </div>
      <VitalsCard
        view={view}
        whole={search.figures === 'range'}
        onWhole={(on) => change({ figures: on ? 'range' : undefined })}
      />
      <OverTimeCard
        view={view}
        span={span}
        drawn={search.drawn ?? 'lcp'}
        onDrawn={(drawn) => change({ drawn: drawn === 'lcp' ? undefined : drawn })}
      />
      <div className="rum-8-4">
        <PagesCard view={view} />
        <BrowsersCard view={view} />
      </div>
      {rejects ? <NotSeenCard rejects={rejects} coverage={view.coverage_note} app={view.row.app} /> : null}
      <p className="xs mute">
        {view.late.views > 0 ? `${view.late.sentence} ` : ''}
        Times are those of receipt; a visitor’s clock is not used. Kept {plural(view.retention_days, 'day')}.
      </p>
    </div>
  );
}
