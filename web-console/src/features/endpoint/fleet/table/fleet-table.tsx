import type { EndpointRow, FleetSort, SortColumn } from '@svc/contracts/endpoint/view';
import { useNavigate } from '@tanstack/react-router';
import { type ListKind, ListTable, type Selection } from '../../../../ui/table/list-table.tsx';
import { MAX_SORTS } from '../fleet-search.ts';
import { COLUMNS } from './columns.tsx';

const DEVICES: ListKind<EndpointRow, SortColumn> = {
  label: 'Devices',
  selectAll: 'Select every device on this page',
  nameOf: ({ name, id }) => name ?? id,
  columns: COLUMNS,
  pinned: 'name',
  second: 'verdict',
  mostSorts: MAX_SORTS,
};

interface TableProps {
  rows: readonly EndpointRow[] | undefined;
  view: string;
  shown: readonly string[];
  sort: FleetSort;
  onSort: (sort: FleetSort) => void;
  selection: Selection;
  onSelection: (selection: Selection) => void;
}

/** The fleet, one row a device. */
export function FleetTable(props: TableProps) {
  const navigate = useNavigate();
  return <ListTable kind={DEVICES} {...props} onOpen={(id) => void navigate({ to: '/fleet/$id', params: { id } })} />;
}
