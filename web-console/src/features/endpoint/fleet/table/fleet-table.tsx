import { useMediaQuery } from '@mantine/hooks';
import type { EndpointRow, FleetSort } from '@svc/contracts/endpoint/view';
import { useNavigate } from '@tanstack/react-router';
import {
  columnOrderingFeature,
  columnVisibilityFeature,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type KeyboardEvent, memo, useCallback, useMemo, useRef, useState } from 'react';
import { Checkbox } from '../../../../ui/controls/controls.tsx';
import { useNow } from '../../../../ui/moments/time.tsx';
import { Ghost } from '../../../../ui/placeholders/empty-state.tsx';
import { useDrawnRows } from '../../../../ui/table/drawn-rows.ts';
import { useSteadyRows } from '../../../../ui/table/steady-rows.ts';
import { TableScroll } from '../../../../ui/table/table-scroll.tsx';
import { toggleSort } from '../fleet-search.ts';
import { COLUMNS, type FleetColumn } from './columns.tsx';

const features = tableFeatures({ columnOrderingFeature, columnVisibilityFeature, rowSelectionFeature });
const byId = new Map(COLUMNS.map((column) => [column.id, column]));
const columnDefs = COLUMNS.map((column) => ({ id: column.id, accessorFn: (row: EndpointRow) => row.id }));

export type Selection = RowSelectionState;

interface TableProps {
  rows: readonly EndpointRow[] | undefined;
  /** Changes when another page, sort or filter is shown: rows may then move. */
  view: string;
  shown: readonly string[];
  sort: FleetSort;
  onSort: (sort: FleetSort) => void;
  selection: Selection;
  onSelection: (selection: Selection) => void;
}

/** Where only two columns fit, the verdict is the second. */
const verdictSecond = (shown: readonly string[]): string[] => [...new Set([...shown.slice(0, 1), 'verdict', ...shown])];

/** The fleet, one row a device. Arrows or j and k move, Enter opens, Space selects. */
export function FleetTable({ rows, view, shown, sort, onSort, selection, onSelection }: TableProps) {
  const [held, setHeld] = useState(false);
  const now = useNow(10_000);
  const narrow = useMediaQuery('(max-width: 760px)', false);
  const steady = useSteadyRows(rows, { view, held });
  const drawn = useDrawnRows(rows, view);
  const data = useMemo(() => [...(steady ?? [])], [steady]);
  const table = useTable({
    features,
    columns: columnDefs,
    data,
    getRowId: (row) => row.id,
    state: {
      columnOrder: narrow ? verdictSecond(shown) : [...shown],
      columnVisibility: Object.fromEntries(COLUMNS.map((column) => [column.id, shown.includes(column.id)])),
      rowSelection: selection,
    },
    onRowSelectionChange: (change) => onSelection(typeof change === 'function' ? change(selection) : change),
  });
  // The same as long as they are shown, as the rows are: a row is drawn anew only for what changed in it.
  const columns = useMemo(() => (narrow ? verdictSecond(shown) : shown).flatMap((id) => byId.get(id) ?? []), [narrow, shown]);
  const select = useSelect(selection, onSelection);
  const { rows: rowModel } = table.getRowModel();
  const hold = (element: HTMLElement): void => setHeld(element.matches(':hover') || element.contains(document.activeElement));
  return (
    <TableScroll view={view}>
      <table aria-label="Devices" aria-busy={steady === undefined}>
        <thead>
          <tr>
            <th className="ck pin" scope="col">
              <Checkbox
                hideLabel
                label="Select every device on this page"
                checked={table.getIsAllRowsSelected() && data.length > 0}
                mixed={table.getIsSomeRowsSelected()}
                onChange={(checked) => table.toggleAllRowsSelected(checked)}
              />
            </th>
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        {steady === undefined ? (
          <GhostRows columns={columns} />
        ) : (
          <tbody
            onPointerEnter={() => setHeld(true)}
            onPointerLeave={(event) => setHeld(event.currentTarget.contains(document.activeElement))}
            onFocus={() => setHeld(true)}
            onBlur={(event) => {
              const body = event.currentTarget;
              requestAnimationFrame(() => hold(body));
            }}
          >
            {rowModel.slice(0, drawn).map((row) => (
              <Row key={row.id} row={row.original} columns={columns} now={now} selected={row.getIsSelected()} onSelect={select} />
            ))}
          </tbody>
        )}
      </table>
    </TableScroll>
  );
}

/** Takes one row in or out; the same function for every selection. */
function useSelect(selection: Selection, onSelection: TableProps['onSelection']): RowProps['onSelect'] {
  const latest = useRef(selection);
  latest.current = selection;
  return useCallback(
    (id, selected) => {
      const { [id]: _, ...others } = latest.current;
      onSelection(selected ? { ...others, [id]: true } : others);
    },
    [onSelection],
  );
}

interface HeadProps {
  column: FleetColumn;
  sort: FleetSort;
  onSort: (sort: FleetSort) => void;
}

function Head({ column, sort, onSort }: HeadProps) {
  const at = sort.findIndex((item) => item.column === column.sort);
  const item = sort[at];
  const classes = [column.numeric ? 'n' : '', item ? 'sorted' : '', column.id === 'name' ? 'pin2' : ''].filter(Boolean).join(' ');
  if (!column.sort) {
    return (
      <th scope="col" className={classes}>
        {column.title}
      </th>
    );
  }
  const key = column.sort;
  // The verdict's own order is worst first, so its plain direction points down like "most first" elsewhere.
  const down = item ? item.desc !== (key === 'verdict') : false;
  return (
    <th scope="col" className={classes} aria-sort={item ? (item.desc ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        title="Click to sort, with Shift to sort by several columns"
        onClick={(event) => onSort(toggleSort(sort, { column: key, first: column.first ?? 'asc', add: event.shiftKey }))}
      >
        {column.title}
        {item ? (
          <>
            {' '}
            <svg className="ic" width="12" height="12" viewBox="0 0 16 16" aria-hidden="true">
              <path d={down ? 'M8 3v10M4 9l4 4 4-4' : 'M8 13V3M4 7l4-4 4 4'} />
            </svg>
            {sort.length > 1 ? <sup>{at + 1}</sup> : null}
          </>
        ) : null}
      </button>
    </th>
  );
}

interface RowProps {
  row: EndpointRow;
  columns: readonly FleetColumn[];
  now: number;
  selected: boolean;
  onSelect: (id: string, selected: boolean) => void;
}

const STEP: Readonly<Record<string, 'nextElementSibling' | 'previousElementSibling'>> = {
  ArrowDown: 'nextElementSibling',
  j: 'nextElementSibling',
  ArrowUp: 'previousElementSibling',
  k: 'previousElementSibling',
};

const Row = memo(function Row({ row, columns, now, selected, onSelect }: RowProps) {
  const navigate = useNavigate();
  const element = useRef<HTMLTableRowElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEP[event.key];
    const target = step && element.current?.[step];
    if (target instanceof HTMLElement) target.focus();
    else if (event.key === 'Enter') void navigate({ to: '/fleet/$id', params: { id: row.id } });
    else if (event.key === ' ' && event.target === element.current) onSelect(row.id, !selected);
    else if (!step) return;
    event.preventDefault();
  };
  return (
    <tr ref={element} tabIndex={0} className={selected ? 'sel' : undefined} aria-selected={selected} onKeyDown={onKeyDown}>
      <td className="ck pin">
        <Checkbox hideLabel label={`Select ${row.name ?? row.id}`} checked={selected} onChange={(on) => onSelect(row.id, on)} />
      </td>
      {columns.map((column) => (
        <td
          key={column.id}
          className={[column.numeric ? 'n' : '', column.id === 'name' ? 'pin2' : ''].filter(Boolean).join(' ') || undefined}
        >
          {column.cell(row, now)}
        </td>
      ))}
    </tr>
  );
});

const GHOST_ROWS = Array.from({ length: 12 }, (_, index) => `ghost-${index}`);

/** Rows of the same height as real ones, so that nothing jumps when they arrive. */
function GhostRows({ columns }: { columns: readonly FleetColumn[] }) {
  return (
    <tbody>
      {GHOST_ROWS.map((key) => (
        <tr key={key}>
          <td className="ck pin" />
          {columns.map((column) => (
            <td key={column.id} className={column.numeric ? 'n' : undefined}>
              <Ghost width={column.ghost} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
