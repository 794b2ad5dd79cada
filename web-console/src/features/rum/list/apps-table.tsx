import { Link, useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent, ReactNode } from 'react';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { Time, useNow } from '../../../ui/moments/time.tsx';
import { tellSentence } from '../../../ui/moments/told-sentence.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { formatCount, formatPercentFigure } from '../../../ui/words/format.ts';
import type { RumRow } from '../rum-queries.ts';
import { formatVital, rowState } from '../rum-words.ts';
import { ratingOf } from '../vital-rating.ts';
import { nextSort, sortOf } from './rum-query.ts';
import type { RumSearch, SORTS } from './rum-search.ts';

type SortColumn = keyof typeof SORTS;

const COLUMNS: readonly { title: string; sort?: SortColumn; numeric?: true }[] = [
  { title: 'App', sort: 'app' },
  { title: 'Host', sort: 'host' },
  { title: 'Verdict', sort: 'verdict' },
  { title: 'Since' },
  { title: 'Views', sort: 'views', numeric: true },
  { title: 'Usual', numeric: true },
  { title: 'Errors %', sort: 'error_rate', numeric: true },
  { title: 'p75 LCP', sort: 'p75_lcp', numeric: true },
  { title: 'p75 INP', numeric: true },
  { title: 'p75 CLS', numeric: true },
  { title: 'Runs failed', sort: 'runs_failed', numeric: true },
];

const GHOSTS = ['a', 'b', 'c', 'd', 'e'];

/** One row an (app, host); an app that waits for its first beacon is one too. */
export function AppsTable({ rows, search }: { rows: readonly RumRow[] | undefined; search: RumSearch }) {
  return (
    <ScrollX label="Apps and hosts">
      <table className="rum-apps" aria-busy={rows === undefined}>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <Head key={column.title} column={column} search={search} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows
            ? rows.map((row) => <Row key={`${row.app} ${row.host}`} row={row} />)
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

function Head({ column: { title, sort, numeric }, search }: { column: (typeof COLUMNS)[number]; search: RumSearch }) {
  const change = useSearchChange<RumSearch>();
  const now = sortOf(search);
  if (!sort)
    return (
      <th scope="col" className={numeric ? 'n' : undefined}>
        {title}
      </th>
    );
  const on = now.column === sort;
  // The worst verdict first is "most first", which points down.
  const isDown = now.descending !== (sort === 'verdict');
  return (
    <th
      scope="col"
      className={[numeric ? 'n' : '', on ? 'sorted' : ''].filter(Boolean).join(' ') || undefined}
      aria-sort={on ? (now.descending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" className="rum-sort" onClick={() => change({ sort: nextSort(search, sort) })}>
        {title}
        {on ? <Icon name={isDown ? 'down' : 'up'} size={12} /> : null}
      </button>
    </th>
  );
}

/** Arrow keys move between rows, as in the other lists. */
function moveByKey(event: KeyboardEvent<HTMLTableRowElement>): void {
  const row = event.currentTarget;
  const next = event.key === 'ArrowDown' ? row.nextElementSibling : event.key === 'ArrowUp' ? row.previousElementSibling : null;
  if (!next) return;
  event.preventDefault();
  (next.querySelector<HTMLElement>('.rum-host a') ?? next.querySelector<HTMLElement>('a'))?.focus();
}

const mute = (word: string): ReactNode => <span className="mute">{word}</span>;

function Row({ row }: { row: RumRow }) {
  const navigate = useNavigate();
  const { app, host } = row;
  const open = (): void => {
    if (host === null) void navigate({ to: '/rum/$app', params: { app } });
    else void navigate({ to: '/rum/$app/$host', params: { app, host } });
  };
  return (
    <tr
      className="rum-row"
      onKeyDown={moveByKey}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('a')) open();
      }}
    >
      <td>
        <Link to="/rum/$app" params={{ app }}>
          {app}
        </Link>
      </td>
      <td className="rum-host">
        {host === null ? (
          mute('any host')
        ) : (
          <Link to="/rum/$app/$host" params={{ app, host }}>
            {host}
          </Link>
        )}
      </td>
      <td>
        <State row={row} />
      </td>
      <td>{row.since && row.state !== 'waiting' ? <Time at={row.since} /> : mute('none')}</td>
      <Figures row={row} />
      <td className="n">{row.tests ? `${formatCount(row.tests.failed)} of ${formatCount(row.tests.runs)}` : mute('no test')}</td>
    </tr>
  );
}

function State({ row }: { row: RumRow }) {
  const now = useNow(10_000);
  const { word, icon, on } = rowState(row);
  return (
    <span className={on ? 'rum-state on' : 'rum-state'} title={tellSentence(row.sentence)}>
      <Icon name={icon} size={14} />
      <span>
        {word}
        {row.state === 'quiet' && row.last_beacon_at ? (
          <>
            {' '}
            for <Time at={row.last_beacon_at} show="ago" now={now} />
          </>
        ) : null}
      </span>
      {row.incident ? (
        <Link className="rum-incident" to="/incidents/$id" params={{ id: row.incident.id }}>
          Incident {row.incident.number}
        </Link>
      ) : null}
    </span>
  );
}

/** Views, and what is known of them: fewer than the rule needs is said, never a figure. */
function Figures({ row }: { row: RumRow }) {
  const none = row.views === 0 ? 'none' : 'too few';
  const figure = (vital: 'lcp' | 'inp' | 'cls'): ReactNode => {
    const value = row.p75[vital];
    if (value === undefined) return mute(none);
    const isPoor = ratingOf(vital, value) === 'poor';
    return isPoor ? <b className="rum-hot">{formatVital(vital, value)}</b> : formatVital(vital, value);
  };
  return (
    <>
      <td className="n">{row.views === 0 ? mute('none') : formatCount(row.views)}</td>
      <td className="n">{row.usual_views === null ? mute('not known') : formatCount(Math.round(row.usual_views))}</td>
      <td className="n">{row.error_rate === null ? mute(none) : formatPercentFigure(row.error_rate)}</td>
      <td className="n">{figure('lcp')}</td>
      <td className="n">{figure('inp')}</td>
      <td className="n">{figure('cls')}</td>
    </>
  );
}
