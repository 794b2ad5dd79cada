import './list-table.css';
import { useMediaQuery } from '@mantine/hooks';
import {
  columnOrderingFeature,
  columnVisibilityFeature,
  type RowSelectionState,
  rowSelectionFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type HTMLAttributes, type KeyboardEvent, memo, type ReactNode, useCallback, useMemo, useRef, useState } from 'react';
import { Checkbox } from '../controls/controls.tsx';
import { useNow } from '../moments/time.tsx';
import { Ghost } from '../placeholders/empty-state.tsx';
import type { ChosenColumn } from './column-chooser.tsx';
import { useDrawnRows } from './drawn-rows.ts';
import { type SortItem, toggleSort } from './sort.ts';
import { useSteadyRows } from './steady-rows.ts';
import { TableScroll } from './table-scroll.tsx';

const features = tableFeatures({ columnOrderingFeature, columnVisibilityFeature, rowSelectionFeature });

export type Selection = RowSelectionState;

interface Identified {
  id: string;
}

export interface ListColumn<Row, Column extends string = string> extends ChosenColumn {
  sort?: Column;
  /** Which direction a first click gives; the one that brings trouble to the top. */
  first?: 'asc' | 'desc';
  /** Its plain direction is worst first, so that it points down as "most first" elsewhere. */
  worstFirst?: true;
  numeric?: boolean;
  hidden?: boolean;
  /** Width of the skeleton's bar, px. */
  ghost: number;
  cell: (row: Row, now: number) => ReactNode;
}

/** What of a table stays the same while it is used. */
export interface ListKind<Row extends Identified, Column extends string = string> {
  /** What the rows are, as the table is called: "Devices". */
  label: string;
  /** "Select every device on this page". */
  selectAll: string;
  nameOf: (row: Row) => string;
  columns: readonly ListColumn<Row, Column>[];
  /** The column that stays in sight when the table scrolls sideways. */
  pinned: string;
  /** Where only two columns fit, the second. */
  second: string;
  mostSorts: number;
}

interface ListTableProps<Row extends Identified, Column extends string> {
  kind: ListKind<Row, Column>;
  rows: readonly Row[] | undefined;
  /** Changes when another page, sort or filter is shown: rows may then move. */
  view: string;
  shown: readonly string[];
  sort: readonly SortItem<Column>[];
  onSort: (sort: SortItem<Column>[]) => void;
  selection: Selection;
  onSelection: (selection: Selection) => void;
  onOpen: (id: string) => void;
}

const secondFirst = (shown: readonly string[], second: string): string[] => [
  ...new Set([...shown.slice(0, 1), second, ...shown]),
];

/** One row a thing. Arrows or j and k move, Enter opens, Space selects. */
export function ListTable<Row extends Identified, Column extends string>(props: ListTableProps<Row, Column>) {
  const { kind, rows, view, shown, sort, onSort, selection, onSelection, onOpen } = props;
  const { held, body } = useHeld();
  const now = useNow(10_000);
  const narrow = useMediaQuery('(max-width: 760px)', false);
  const steady = useSteadyRows(rows, { view, held });
  const drawn = useDrawnRows(rows, view);
  const data = useMemo(() => [...(steady ?? [])], [steady]);
  const { order, columns, columnDefs } = useColumns(kind, shown, narrow);
  const table = useTable({
    features,
    columns: columnDefs,
    data,
    getRowId: (row) => row.id,
    state: {
      columnOrder: order,
      columnVisibility: Object.fromEntries(kind.columns.map((column) => [column.id, shown.includes(column.id)])),
      rowSelection: selection,
    },
    onRowSelectionChange: (change) => onSelection(typeof change === 'function' ? change(selection) : change),
  });
  const select = useSelect(selection, onSelection);
  const open = useLatest(onOpen);
  const { rows: rowModel } = table.getRowModel();
  return (
    <TableScroll view={view}>
      <table aria-label={kind.label} aria-busy={steady === undefined}>
        <thead>
          <tr>
            <th className="ck pin" scope="col">
              <Checkbox
                hideLabel
                label={kind.selectAll}
                checked={table.getIsAllRowsSelected() && data.length > 0}
                mixed={table.getIsSomeRowsSelected()}
                onChange={(checked) => table.toggleAllRowsSelected(checked)}
              />
            </th>
            {columns.map((column) => (
              <Head
                key={column.id}
                column={column}
                pinned={column.id === kind.pinned}
                sort={sort}
                most={kind.mostSorts}
                onSort={onSort}
              />
            ))}
          </tr>
        </thead>
        {steady === undefined ? (
          <GhostRows columns={columns} />
        ) : (
          <tbody {...body}>
            {rowModel.slice(0, drawn).map((row) => (
              <MemoRow
                key={row.id}
                row={row.original}
                kind={kind as never}
                columns={columns as never}
                now={now}
                selected={row.getIsSelected()}
                onSelect={select}
                onOpen={open}
              />
            ))}
          </tbody>
        )}
      </table>
    </TableScroll>
  );
}

/** While somebody points at the rows or has one in focus, none of them moves. */
function useHeld() {
  const [held, setHeld] = useState(false);
  const hold = (element: HTMLElement): void => setHeld(element.matches(':hover') || element.contains(document.activeElement));
  const body: HTMLAttributes<HTMLElement> = {
    onPointerEnter: () => setHeld(true),
    onPointerLeave: (event) => setHeld(event.currentTarget.contains(document.activeElement)),
    onFocus: () => setHeld(true),
    onBlur: ({ currentTarget }) => {
      requestAnimationFrame(() => hold(currentTarget));
    },
  };
  return { held, body };
}

/** The same as long as they are shown, as the rows are: a row is drawn anew only for what changed in it. */
function useColumns<Row extends Identified, Column extends string>(
  kind: ListKind<Row, Column>,
  shown: readonly string[],
  narrow: boolean,
) {
  const order = useMemo(() => (narrow ? secondFirst(shown, kind.second) : [...shown]), [narrow, shown, kind]);
  const columns = useMemo(() => order.flatMap((id) => kind.columns.find((column) => column.id === id) ?? []), [order, kind]);
  const columnDefs = useMemo(() => kind.columns.map(({ id }) => ({ id, accessorFn: (row: Row) => row.id })), [kind]);
  return { order, columns, columnDefs };
}

/** The same function whatever it does by now. */
function useLatest(act: (id: string) => void): (id: string) => void {
  const latest = useRef(act);
  latest.current = act;
  return useCallback((id) => latest.current(id), []);
}

/** Takes one row in or out; the same function for every selection. */
function useSelect(selection: Selection, onSelection: (selection: Selection) => void): RowProps['onSelect'] {
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

interface HeadProps<Row, Column extends string> {
  column: ListColumn<Row, Column>;
  pinned: boolean;
  sort: readonly SortItem<Column>[];
  most: number;
  onSort: (sort: SortItem<Column>[]) => void;
}

function Head<Row, Column extends string>({ column, pinned, sort, most, onSort }: HeadProps<Row, Column>) {
  const at = sort.findIndex((item) => item.column === column.sort);
  const item = sort[at];
  const classes = [column.numeric ? 'n' : '', item ? 'sorted' : '', pinned ? 'pin2' : ''].filter(Boolean).join(' ');
  if (!column.sort) {
    return (
      <th scope="col" className={classes}>
        {column.title}
      </th>
    );
  }
  const key = column.sort;
  const down = item ? item.desc !== (column.worstFirst ?? false) : false;
  return (
    <th scope="col" className={classes} aria-sort={item ? (item.desc ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        title="Click to sort, with Shift to sort by several columns"
        onClick={(event) => onSort(toggleSort(sort, { column: key, first: column.first ?? 'asc', add: event.shiftKey, most }))}
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
  row: Identified;
  kind: ListKind<Identified>;
  columns: readonly ListColumn<Identified>[];
  now: number;
  selected: boolean;
  onSelect: (id: string, selected: boolean) => void;
  onOpen: (id: string) => void;
}

const STEP: Readonly<Record<string, 'nextElementSibling' | 'previousElementSibling'>> = {
  ArrowDown: 'nextElementSibling',
  j: 'nextElementSibling',
  ArrowUp: 'previousElementSibling',
  k: 'previousElementSibling',
};

function Row({ row, kind, columns, now, selected, onSelect, onOpen }: RowProps) {
  const element = useRef<HTMLTableRowElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEP[event.key];
    const target = step && element.current?.[step];
    if (target instanceof HTMLElement) target.focus();
    else if (event.key === 'Enter') onOpen(row.id);
    else if (event.key === ' ' && event.target === element.current) onSelect(row.id, !selected);
    else if (!step) return;
    event.preventDefault();
  };
  return (
    <tr ref={element} tabIndex={0} className={selected ? 'sel' : undefined} aria-selected={selected} onKeyDown={onKeyDown}>
      <td className="ck pin">
        <Checkbox hideLabel label={`Select ${kind.nameOf(row)}`} checked={selected} onChange={(on) => onSelect(row.id, on)} />
      </td>
      {columns.map((column) => (
        <td
          key={column.id}
          className={[column.numeric ? 'n' : '', column.id === kind.pinned ? 'pin2' : ''].filter(Boolean).join(' ') || undefined}
        >
          {column.cell(row, now)}
        </td>
      ))}
    </tr>
  );
}
const MemoRow = memo(Row);

const GHOST_ROWS = Array.from({ length: 12 }, (_, index) => `ghost-${index}`);

/** Rows of the same height as real ones, so that nothing jumps when they arrive. */
function GhostRows({ columns }: { columns: readonly Pick<ListColumn<never>, 'id' | 'numeric' | 'ghost'>[] }) {
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
