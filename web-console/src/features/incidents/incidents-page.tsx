import './incidents.css';
import type { Incident } from '@svc/contracts/incidents/incident';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect } from 'react';
import { ask } from '../../api.ts';
import { pagesUntilNow } from '../../ui/address/pages-until-now.ts';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { Button, SearchField, Segments } from '../../ui/controls/controls.tsx';
import { ScrollX } from '../../ui/controls/scroll-x.tsx';
import { Time, useNow } from '../../ui/moments/time.tsx';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { type Column, ColumnHeads, numeric } from '../../ui/table/column-heads.tsx';
import { formatCount } from '../../ui/words/format.ts';
import { byWhom, describeOpen, PLANE_NAMES, personName, SEVERITY_NAMES, STATE_NAMES } from './incident-words.ts';
import {
  countFilters,
  hasTime,
  type IncidentsSearch,
  NO_FILTERS,
  PLANE_CHOICES,
  queryOf,
  SEVERITY_CHOICES,
  spanOf,
} from './incidents-search.ts';
import { IncidentsViews } from './incidents-views.tsx';
import { rememberIncidents } from './last-incidents.ts';
import { SeverityBadge, StateMark } from './severity-badge.tsx';
import { usePulse } from './use-pulse.ts';

const route = getRouteApi('/incidents');
const PAGE = 50;

const COLUMNS: readonly Column[] = [
  numeric('No.'),
  'Severity',
  'Incident',
  'State',
  'Seen by',
  numeric('Signals'),
  'Since',
  'Last seen',
  'Taken by',
];

const STATUS_CHOICES = [
  { value: 'open', label: 'Open' },
  { value: 'unacknowledged', label: 'Not acknowledged' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'all', label: 'All' },
] as const;

/** What is broken now, who has it, what was. */
export function IncidentsPage() {
  const search = route.useSearch();
  const query = queryOf(search);
  usePulse();
  const list = useInfiniteQuery(
    pagesUntilNow({
      key: ['incidents.list', query, search.range, search.from, search.to],
      read: ({ untilMs, cursor }, signal) =>
        ask('incidents.list', { ...query, ...spanOf(search, untilMs), limit: PAGE, ...(cursor ? { cursor } : {}) }, signal),
    }),
  );
  const items = list.data?.pages.flatMap((page) => page.items);
  const open = list.data?.pages[0]?.open;
  useEffect(() => {
    if (items) rememberIncidents({ query: location.search, ids: items.map(({ id }) => id) });
  }, [items]);
  return (
    <div className="page wide">
      <div className="pagehead">
        <div className="grow">
          <h1 aria-live="polite">
            {open === undefined || !items ? <Ghost width={360} says="Incidents, loading" /> : describeOpen(open, items)}
          </h1>
          <p className="soft">
            Signals of tests, devices and services about the same thing become one incident. It opens and resolves automatically;
            you say who has it.
          </p>
        </div>
      </div>
      <section className="card" aria-label="Incidents">
        <Filters search={search} />
        {list.isError && !items ? (
          <Failure error={list.error} retry={() => void list.refetch()} kept="Your filters are kept." />
        ) : (
          <IncidentTable items={items} search={search} />
        )}
        {list.hasNextPage ? (
          <footer className="foot">
            <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              More incidents
            </Button>
            <span className="mute s">{formatCount(items?.length ?? 0)} shown</span>
          </footer>
        ) : null}
      </section>
    </div>
  );
}

function Filters({ search }: { search: IncidentsSearch }) {
  const change = useSearchChange<IncidentsSearch>();
  return (
    <div className="inc-filters">
      <SearchField
        label="Words, target or number"
        placeholder="Words, target or number"
        value={search.text ?? ''}
        onChange={(text) => change({ text: text.trim() === '' ? undefined : text }, 'typing')}
      />
      <Segments
        label="State"
        options={STATUS_CHOICES}
        value={search.status === 'acknowledged' ? 'open' : (search.status ?? 'open')}
        onChange={(status) => change({ status: status === 'open' ? undefined : status })}
      />
      <label className="row s">
        <span className="mute">Severity</span>
        <select
          className="select"
          value={search.severity ?? ''}
          onChange={(event) => change({ severity: SEVERITY_CHOICES.find((name) => name === event.currentTarget.value) })}
        >
          <option value="">any</option>
          {SEVERITY_CHOICES.map((name) => (
            <option key={name} value={name}>
              {SEVERITY_NAMES[name]}
            </option>
          ))}
        </select>
      </label>
      <label className="row s">
        <span className="mute">Seen by</span>
        <select
          className="select"
          value={search.plane ?? ''}
          onChange={(event) => change({ plane: PLANE_CHOICES.find((name) => name === event.currentTarget.value) })}
        >
          <option value="">anything</option>
          {PLANE_CHOICES.map((name) => (
            <option key={name} value={name}>
              {PLANE_NAMES[name]}
            </option>
          ))}
        </select>
      </label>
      <label className="row s">
        <span className="mute">Order</span>
        <select
          className="select"
          value={search.sort ?? ''}
          onChange={(event) =>
            change({ sort: (['newest', 'last_seen', 'severity'] as const).find((name) => name === event.currentTarget.value) })
          }
        >
          <option value="">Open first</option>
          <option value="severity">Severity</option>
          <option value="newest">Newest</option>
          <option value="last_seen">Last seen</option>
        </select>
      </label>
      <span className="grow" />
      <IncidentsViews search={search} />
    </div>
  );
}

const GHOSTS = ['a', 'b', 'c', 'd', 'e'];

function IncidentTable({ items, search }: { items: Incident[] | undefined; search: IncidentsSearch }) {
  if (items?.length === 0) return <NoIncident search={search} />;
  return (
    <ScrollX label="Incidents">
      <table className="inc-table">
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

function NoIncident({ search }: { search: IncidentsSearch }) {
  const change = useSearchChange<IncidentsSearch>();
  const filters = countFilters(search);
  if (filters > 0)
    return (
      <EmptyState icon="filter" title="No incident matches">
        {hasTime(search) && search.status !== 'all' ? (
          <p>
            One that was going on then may be in another state by now.{' '}
            <button type="button" className="linkish" onClick={() => change({ status: 'all' })}>
              Look at all states
            </button>
          </p>
        ) : null}
        <p>
          <button type="button" className="linkish" onClick={() => change(NO_FILTERS)}>
            Clear {filters === 1 ? 'the filter' : `${filters} filters`}
          </button>
        </p>
      </EmptyState>
    );
  if (search.status === 'resolved' || search.status === 'all')
    return (
      <EmptyState icon="check" title="There has been no incident yet">
        <p>
          The first one appears here as soon as a test fails, devices of a site share a fault, or calls between services fail.
        </p>
      </EmptyState>
    );
  return (
    <EmptyState icon="check" title="Nothing is open">
      <p>
        Incidents open automatically when tests, devices or services say that something is broken.{' '}
        <button type="button" className="linkish" onClick={() => change({ status: 'resolved' })}>
          Look at resolved ones
        </button>
      </p>
    </EmptyState>
  );
}

/** Arrow keys move between rows, as in the fleet's table. */
function moveByKey(event: KeyboardEvent<HTMLTableRowElement>): void {
  const row = event.currentTarget;
  const next = event.key === 'ArrowDown' ? row.nextElementSibling : event.key === 'ArrowUp' ? row.previousElementSibling : null;
  if (!next) return;
  event.preventDefault();
  next.querySelector<HTMLElement>('a')?.focus();
}

function Row({ item }: { item: Incident }) {
  const now = useNow(10_000);
  const navigate = useNavigate();
  return (
    <tr
      className={item.status === 'resolved' ? 'inc-row done' : 'inc-row'}
      onKeyDown={moveByKey}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('a')) void navigate({ to: '/incidents/$id', params: { id: item.id } });
      }}
    >
      <td className="n mute">{item.number}</td>
      <td>
        <SeverityBadge severity={item.severity} />
      </td>
      <td className="inc-title">
        <Link to="/incidents/$id" params={{ id: item.id }}>
          {item.title}
        </Link>
        <small>{[item.target, item.prefix, item.site].filter(Boolean).join(', ')}</small>
        <small className="inc-narrow">
          No. {item.number}, {STATE_NAMES[item.status].toLowerCase()}, since <Time at={item.started_at} />
        </small>
      </td>
      <td>
        <StateMark status={item.status} />
      </td>
      <td>{item.planes.map((plane) => PLANE_NAMES[plane]).join(', ')}</td>
      <td className="n" title={`${item.open_signal_count} of ${item.signal_count} have not recovered`}>
        {item.open_signal_count}/{item.signal_count}
      </td>
      <td>
        <Time at={item.started_at} />
      </td>
      <td>
        <Time at={item.last_seen_at} show="ago" now={now} /> ago
      </td>
      <td className="soft">{takenBy(item)}</td>
    </tr>
  );
}

function takenBy({ assigned_to, acknowledged_by, resolved_by, status }: Incident): string {
  if (assigned_to) return personName(assigned_to);
  if (status === 'resolved' && resolved_by) return `resolved ${byWhom(resolved_by)}`;
  return acknowledged_by ? personName(acknowledged_by) : '';
}
