import '../../../ui/table/list-table.css';
import './tests.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { rememberList } from '../../../ui/address/last-list.ts';
import { stringifySearch } from '../../../ui/address/search-params.ts';
import { type HistoryRule, useSearchChange } from '../../../ui/address/use-search-change.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { ColumnChooser } from '../../../ui/table/column-chooser.tsx';
import { type ListKind, ListTable, type Selection } from '../../../ui/table/list-table.tsx';
import { TableSearch } from '../../../ui/table/table-search.tsx';
import { DrawerBeside } from '../drawer-beside.tsx';
import { runnersQuery, testsQuery, worstQuery } from '../test-queries.ts';
import { COLUMNS, encodeColumns, type ListedTest, shownColumns } from './columns.tsx';
import { describeFilters } from './filter-words.ts';
import { FilteredOut, NoTestYet } from './tests-empty.tsx';
import { FilterChips, StateSegments } from './tests-filters.tsx';
import { TestsFooter } from './tests-footer.tsx';
import { TestsHead } from './tests-head.tsx';
import {
  activeFilters,
  fromSort,
  MAX_SORTS,
  pageOf,
  type SortColumn,
  type TestsSearch,
  toQuery,
  toSort,
  withoutFilters,
} from './tests-search.ts';
import { totalOf } from './tests-sentence.ts';
import { TestsViews } from './tests-views.tsx';

const route = getRouteApi('/tests');

const TESTS: ListKind<ListedTest, SortColumn> = {
  label: 'Tests',
  selectAll: 'Select every test on this page',
  nameOf: ({ test }) => test.name,
  columns: COLUMNS,
  pinned: 'name',
  second: 'state',
  mostSorts: MAX_SORTS,
};

type Change = (part: TestsSearch, rule?: HistoryRule) => void;

/** The search in the URL with the ways to change it; any change of what is shown starts at the first page again. */
function useTestsSearch(): { search: TestsSearch; change: Change; openDrawer: (drawer: 'new' | 'describe') => void } {
  const search = route.useSearch();
  const set = useSearchChange<TestsSearch>();
  const change = useCallback<Change>((next, rule) => set({ page: undefined, ...next }, rule), [set]);
  const openDrawer = useCallback((drawer: 'new' | 'describe') => set({ drawer, of: undefined }), [set]);
  return { search, change, openDrawer };
}

/** Do our targets answer from where we stand? */
export function TestsPage() {
  const { search, change, openDrawer } = useTestsSearch();
  const worst = useQuery(worstQuery);
  const mayWrite = useMay('test.write');
  const isEmpty = worst.data !== undefined && totalOf(worst.data.counts) === 0;
  return (
    <DrawerBeside search={search}>
      {isEmpty ? (
        <NoTestYet mayWrite={mayWrite} onCreate={openDrawer} />
      ) : (
        <div className="testlist">
          {worst.data ? (
            <TestsHead worst={worst.data} actions={<Actions mayWrite={mayWrite} onCreate={openDrawer} />} />
          ) : (
            <div className="head">
              <h1>
                {worst.isError ? 'The summary of the tests could not be read.' : <Ghost width={560} says="Tests, loading" />}
              </h1>
            </div>
          )}
          <TestsCard search={search} change={change} mayWrite={mayWrite} />
        </div>
      )}
    </DrawerBeside>
  );
}

function Actions({ mayWrite, onCreate }: { mayWrite: boolean; onCreate: (drawer: 'new' | 'describe') => void }) {
  const runners = useQuery(runnersQuery).data?.items;
  return (
    <>
      <Link to="/runners" className="btn quiet">
        <Icon name="rows" size={14} />
        Runners {runners ? <span className="num mute">{runners.length}</span> : null}
      </Link>
      {mayWrite ? (
        <Link to="/unwatched" className="btn quiet">
          Not watched yet
        </Link>
      ) : null}
      <Button unavailable={mayWrite ? undefined : refusalWords('test.write')} onClick={() => onCreate('describe')}>
        Describe what to watch
      </Button>
      <Button
        look="primary"
        icon="plus"
        unavailable={mayWrite ? undefined : refusalWords('test.write')}
        onClick={() => onCreate('new')}
      >
        New test
      </Button>
    </>
  );
}

interface CardProps {
  search: TestsSearch;
  change: Change;
  mayWrite: boolean;
}

/** What of the tests is shown, asked of the server page by page. */
function useTestRows(search: TestsSearch) {
  const query = useMemo(() => toQuery(search), [search]);
  const page = useQuery(testsQuery(query));
  const items = page.data?.items;
  const rows = useMemo(() => items?.map((row): ListedTest => ({ ...row, id: row.test.id })), [items]);
  const matched = page.data?.total;
  const { offset, limit } = pageOf(search);
  useEffect(() => {
    if (!rows) return;
    const { drawer: _, of: __, ...listed } = search;
    rememberList({
      query: stringifySearch({ ...listed }),
      ids: rows.map(({ id }) => id),
      offset,
      matched: matched ?? 0,
      words: describeFilters(search),
    });
  }, [rows, search, offset, matched]);
  // Fewer rows than when the address was written, or never so many.
  const isBeyond = rows?.length === 0 && !page.isPlaceholderData && (matched ?? 0) > 0 && offset > 0;
  const lastPage = isBeyond ? Math.ceil((matched ?? 0) / limit) : undefined;
  return { page, rows, matched, lastPage, view: JSON.stringify([query, page.isPlaceholderData]) };
}

function TestsCard({ search, change, mayWrite }: CardProps) {
  const { page, rows, matched, lastPage, view } = useTestRows(search);
  const navigate = useNavigate();
  useEffect(() => {
    if (lastPage !== undefined) change({ page: lastPage > 1 ? lastPage : undefined }, 'typing');
  }, [lastPage, change]);
  const [selection, setSelection] = useState<Selection>({});
  const onClear = useCallback(() => setSelection({}), []);
  const beside = search.drawer !== undefined;
  const shown = useMemo(() => shownColumns(search.cols, beside), [search.cols, beside]);
  const sort = useMemo(() => toSort(search), [search]);
  let content = (
    <ListTable
      kind={TESTS}
      rows={rows}
      view={view}
      shown={shown}
      sort={sort}
      onSort={(next) => change({ sort: fromSort(next) })}
      selection={selection}
      onSelection={setSelection}
      onOpen={(id) => void navigate({ to: '/tests/$id', params: { id } })}
    />
  );
  if (page.isError && !rows) content = <Failure error={page.error} retry={() => page.refetch()} kept="Your filters are kept." />;
  else if (rows?.length === 0 && activeFilters(search).length > 0)
    content = <FilteredOut search={search} onClear={() => change(withoutFilters(search))} />;
  return (
    <section className="card tbl" aria-label="Tests">
      <Toolbar search={search} change={change} />
      {content}
      <TestsFooter
        search={search}
        matched={matched}
        rows={rows?.length ?? 0}
        selected={Object.keys(selection).filter((id) => selection[id])}
        mayWrite={mayWrite}
        onClear={onClear}
        onPage={(next) => change({ ...next })}
      />
    </section>
  );
}

function Toolbar({ search, change }: Omit<CardProps, 'mayWrite'>) {
  const counts = useQuery(worstQuery).data?.counts;
  const onSearch = useCallback((text: string) => change({ search: text || undefined }, 'typing'), [change]);
  const beside = search.drawer !== undefined;
  return (
    <div className="tools">
      <TableSearch value={search.search ?? ''} label="Search tests" placeholder="Name, target, runner" onChange={onSearch} />
      <StateSegments search={search} counts={counts} onChange={change} />
      {beside ? null : <FilterChips search={search} onChange={change} />}
      <span className="grow" />
      {beside ? null : <TestsViews search={search} />}
      <ColumnChooser
        columns={COLUMNS}
        shown={shownColumns(search.cols, false)}
        onShown={(ids) => change({ cols: ids ? encodeColumns(ids) : undefined, page: search.page })}
      />
    </div>
  );
}
