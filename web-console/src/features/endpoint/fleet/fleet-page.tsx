import '../../../ui/page/page-head.css';
import '../../../ui/table/list-table.css';
import './fleet.css';
import './table/fleet-table.css';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Navigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ask } from '../../../api.ts';
import { fleetQuery, meQuery, summaryQuery } from '../../../queries.ts';
import { rememberList } from '../../../ui/address/last-list.ts';
import { stringifySearch } from '../../../ui/address/search-params.ts';
import { type HistoryRule, useSearchChange } from '../../../ui/address/use-search-change.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { useMay } from '../../../ui/permission/use-may.ts';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { ColumnChooser } from '../../../ui/table/column-chooser.tsx';
import type { Selection } from '../../../ui/table/list-table.tsx';
import { TableSearch } from '../../../ui/table/table-search.tsx';
import { CodeHint } from './code-hint.tsx';
import { FilterChips } from './filter-chips.tsx';
import { describeFilters } from './filter-words.ts';
import { EnrolDialog } from './first-run/enrol-panel.tsx';
import { isLater } from './first-run/first-run-choice.ts';
import { FilteredOut, NoDeviceYet, NotWired } from './fleet-empty.tsx';
import { activeFilters, type FleetSearch, fromSort, pageOf, toFilter, toSort, withoutFilters } from './fleet-search.ts';
import { Headline } from './headline.tsx';
import { SharedCauses, VerdictTiles } from './summary-cards.tsx';
import { COLUMNS, encodeColumns, shownColumns } from './table/columns.tsx';
import { FleetTable } from './table/fleet-table.tsx';
import { TableFooter } from './table/table-footer.tsx';
import { Views } from './views.tsx';

const route = getRouteApi('/fleet');

/** Which devices are slow, why, and what they share. */
export function FleetPage() {
  const me = useQuery(meQuery).data;
  const summary = useQuery(summaryQuery);
  const mayWrite = useMay('agent.write');
  const setsPolicy = useMay('settings.write');
  const [enrolling, setEnrolling] = useState(false);
  const firstRun = useQuery({
    queryKey: ['fleet.firstRun', 'once'],
    queryFn: ({ signal }) => ask('fleet.firstRun', {}, signal),
    // A simulated tenant traces nothing real: there is nothing to choose.
    enabled: setsPolicy && me !== undefined && !me.tenant.simulated && !isLater(me.tenant.id),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (firstRun.data && !firstRun.data.chosen) return <Navigate to="/first-run" replace />;
  if (summary.data?.total === 0) return summary.data.collector_running ? <NoDeviceYet mayWrite={mayWrite} /> : <NotWired />;
  return (
    <div className="fleet">
      {summary.data ? (
        <Headline
          summary={summary.data}
          action={
            mayWrite ? (
              <Button look="primary" icon="plus" onClick={() => setEnrolling(true)}>
                Enrol a device
              </Button>
            ) : null
          }
        />
      ) : (
        <HeadGhost failed={summary.isError} />
      )}
      {summary.data && !summary.data.collector_running ? <NotWired /> : null}
      <FleetBody mayWrite={mayWrite} />
      {enrolling ? <EnrolDialog onClose={() => setEnrolling(false)} /> : null}
    </div>
  );
}

function HeadGhost({ failed }: { failed: boolean }) {
  return (
    <div className="head">
      <h1>{failed ? 'The fleet’s summary could not be read.' : <Ghost width={560} says="Fleet, loading" />}</h1>
    </div>
  );
}

/** The search in the URL with the ways to change it; any change of what is shown starts at the first page again. */
function useFleetSearch() {
  const search = route.useSearch();
  const set = useSearchChange<FleetSearch>();
  const change = useCallback((next: FleetSearch, rule?: HistoryRule) => set({ page: undefined, ...next }, rule), [set]);
  return { search, change };
}

function FleetBody({ mayWrite }: { mayWrite: boolean }) {
  const { search, change } = useFleetSearch();
  const summary = useQuery(summaryQuery).data;
  return (
    <>
      {summary ? (
        <div className="sum">
          <VerdictTiles summary={summary} search={search} onFilter={change} />
          <SharedCauses summary={summary} />
        </div>
      ) : (
        <div className="sum">
          <section className="card dist ghostcard" />
          <section className="card shared ghostcard" />
        </div>
      )}
      <DevicesCard search={search} change={change} mayWrite={mayWrite} />
    </>
  );
}

interface DevicesProps {
  search: FleetSearch;
  change: ReturnType<typeof useFleetSearch>['change'];
  mayWrite: boolean;
}

/** What of the fleet is shown, asked of the server page by page. */
function useFleetRows(search: FleetSearch) {
  const filter = useMemo(() => toFilter(search), [search]);
  const sort = useMemo(() => toSort(search), [search]);
  const { limit, offset } = pageOf(search);
  const page = useQuery(fleetQuery({ filter, sort, limit, offset }));
  const rows = page.data?.items;
  const matched = page.data?.matched;
  useEffect(() => {
    if (!rows) return;
    rememberList({
      query: stringifySearch({ ...search }),
      ids: rows.map((row) => row.id),
      offset,
      matched: matched ?? 0,
      words: describeFilters(search),
    });
  }, [rows, search, offset, matched]);
  // Fewer rows than when the address was written, or never so many.
  const isBeyond = rows?.length === 0 && !page.isPlaceholderData && (matched ?? 0) > 0 && offset > 0;
  const lastPage = isBeyond ? Math.ceil((matched ?? 0) / limit) : undefined;
  return { page, rows, matched, sort, lastPage, view: JSON.stringify([filter, sort, limit, offset, page.isPlaceholderData]) };
}

function DevicesCard({ search, change, mayWrite }: DevicesProps) {
  const { page, rows, matched, sort, lastPage, view } = useFleetRows(search);
  useEffect(() => {
    if (lastPage !== undefined) change({ page: lastPage > 1 ? lastPage : undefined }, 'typing');
  }, [lastPage, change]);
  const [selection, setSelection] = useState<Selection>({});
  const onClear = useCallback(() => setSelection({}), []);
  const shown = useMemo(() => shownColumns(search.cols), [search.cols]);
  let content = (
    <FleetTable
      rows={rows}
      view={view}
      shown={shown}
      sort={sort}
      onSort={(next) => change({ sort: fromSort(next) })}
      selection={selection}
      onSelection={setSelection}
    />
  );
  if (page.isError && !rows) content = <Failure error={page.error} retry={() => page.refetch()} kept="Your filters are kept." />;
  else if (rows?.length === 0 && activeFilters(search).length > 0) {
    content = <FilteredOut search={search} onClear={() => change(withoutFilters(search))} />;
  }
  return (
    <section className="card tbl" aria-label="Devices">
      <Toolbar search={search} change={change} shown={shown} />
      <CodeHint search={search.search} rows={page.isPlaceholderData ? undefined : rows} />
      {content}
      <TableFooter
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

function Toolbar({ search, change, shown }: Omit<DevicesProps, 'mayWrite'> & { shown: readonly string[] }) {
  const summary = useQuery(summaryQuery).data;
  const onSearch = useCallback((text: string) => change({ search: text || undefined }, 'typing'), [change]);
  return (
    <div className="tools">
      <TableSearch
        value={search.search ?? ''}
        label="Search devices"
        placeholder="Device, owner, site, address"
        onChange={onSearch}
      />
      <FilterChips search={search} summary={summary} onFilter={change} />
      <span className="grow" />
      <Views search={search} />
      <ColumnChooser
        columns={COLUMNS}
        shown={shown}
        onShown={(ids) => change({ cols: ids ? encodeColumns(ids) : undefined, page: search.page })}
      />
    </div>
  );
}
