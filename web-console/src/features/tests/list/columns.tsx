import type { TestRow } from '@svc/contracts/tests/views';
import { Link } from '@tanstack/react-router';
import { Time } from '../../../ui/moments/time.tsx';
import { Clipped } from '../../../ui/table/clipped.tsx';
import type { ListColumn } from '../../../ui/table/list-table.tsx';
import { readColumns, writeColumns } from '../../../ui/table/shown-columns.ts';
import { formatMs } from '../../../ui/words/format.ts';
import { TestStrip } from '../test-strip.tsx';
import { intervalWords, shortUrl } from '../test-words.ts';
import { AvailabilityCell, CertificateCell, LastCell, NextCell, RunnersCell, StateCell, TotalCell } from './cells.tsx';
import type { SortColumn } from './tests-search.ts';

/** A row of the list under the test's own id. */
export interface ListedTest extends TestRow {
  id: string;
}

type TestColumn = ListColumn<ListedTest, SortColumn>;

/** The most that text of a person's own takes, px. */
const MOST = { name: 170, target: 200, labels: 160 } as const;

const soft = (text: string) => <span className="soft">{text}</span>;
const labelWords = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => (value === '' ? key : `${key}=${value}`))
    .join(', ');

const RESULTS: readonly TestColumn[] = [
  { id: 'strip', title: 'Last 24 h', ghost: 95, cell: (row) => <TestStrip bars={row.strip} /> },
  {
    ...{ id: 'availability', title: 'Available %', sort: 'availability', first: 'asc', numeric: true, ghost: 32 },
    longTitle: 'Available, 24 h',
    cell: (row) => <AvailabilityCell row={row} />,
  },
  {
    ...{ id: 'total', title: 'Total', sort: 'total', first: 'desc', numeric: true, ghost: 40 },
    longTitle: 'Total of the last run',
    cell: (row) => <TotalCell row={row} />,
  },
  {
    ...{ id: 'p95', title: 'p95', sort: 'p95', first: 'desc', numeric: true, ghost: 40, longTitle: 'p95 of 24 h' },
    cell: (row) => (row.p95_ms === null ? <span className="mute">none</span> : soft(formatMs(row.p95_ms))),
  },
  {
    ...{ id: 'usual', title: 'Usual', numeric: true, ghost: 40, longTitle: 'Usual, median of 7 days', hidden: true },
    cell: (row) => (row.usual_ms === null ? <span className="mute">too few</span> : soft(formatMs(row.usual_ms))),
  },
];

const SUBJECT: readonly TestColumn[] = [
  { id: 'runners', title: 'Runs from', ghost: 64, cell: (row) => <RunnersCell row={row} /> },
  { id: 'type', title: 'Type', sort: 'type', ghost: 40, cell: ({ test }) => soft(test.type) },
  {
    ...{ id: 'target', title: 'Target', sort: 'target', ghost: 160 },
    cell: ({ test }) => (
      <span className="soft">
        <Clipped text={shortUrl(test.target)} width={MOST.target} />
      </span>
    ),
  },
  {
    ...{ id: 'interval', title: 'Every', sort: 'interval', first: 'asc', numeric: true, ghost: 32 },
    cell: ({ test }) => soft(intervalWords(test.interval_seconds)),
  },
  {
    ...{ id: 'certificate', title: 'Cert days', sort: 'certificate', first: 'asc', numeric: true, ghost: 24 },
    longTitle: 'Days until the certificate ends',
    cell: (row) => <CertificateCell row={row} />,
  },
];

/** All columns in their default order; `hidden` ones start switched off. */
export const COLUMNS: readonly TestColumn[] = [
  {
    ...{ id: 'name', title: 'Test', sort: 'name', locked: true, ghost: 110 },
    cell: ({ id, test }) => (
      <Link to="/tests/$id" params={{ id }} className="dv" tabIndex={-1}>
        <Clipped text={test.name} width={MOST.name} />
      </Link>
    ),
  },
  {
    ...{ id: 'state', title: 'State', sort: 'state', worstFirst: true, locked: true, ghost: 84 },
    cell: (row) => <StateCell row={row} />,
  },
  ...RESULTS,
  ...SUBJECT,
  {
    ...{ id: 'last', title: 'Last run', sort: 'last', first: 'asc', numeric: true, ghost: 52 },
    cell: (row, now) => <LastCell row={row} now={now} />,
  },
  {
    ...{ id: 'next', title: 'Next run', numeric: true, ghost: 52 },
    cell: (row, now) => <NextCell row={row} now={now} />,
  },
  {
    ...{ id: 'since', title: 'Since', hidden: true, ghost: 60, longTitle: 'Since when the state holds' },
    cell: (row, now) =>
      row.since ? <Time at={row.since} now={now} className="soft" /> : <span className="mute">not recorded</span>,
  },
  {
    ...{ id: 'labels', title: 'Labels', hidden: true, ghost: 90 },
    cell: ({ test }) => (
      <span className="soft">
        <Clipped text={labelWords(test.labels)} width={MOST.labels} />
      </span>
    ),
  },
  { id: 'site', title: 'Site', hidden: true, ghost: 60, cell: ({ test }) => soft(test.site ?? '') },
  {
    ...{ id: 'changed', title: 'Changed', hidden: true, ghost: 72 },
    cell: ({ test }, now) => <Time at={test.updated_at} now={now} className="soft" />,
  },
];

/** What stays while the drawer takes the room, in the order of its importance. */
const BESIDE_DRAWER = ['name', 'state', 'strip', 'total', 'p95', 'last'];

export function shownColumns(cols: string | undefined, beside: boolean): string[] {
  const shown = readColumns(COLUMNS, cols);
  return beside ? shown.filter((id) => BESIDE_DRAWER.includes(id)) : shown;
}

export const encodeColumns = (ids: readonly string[]): string | undefined => writeColumns(COLUMNS, ids);
