import './table.css';
import { type DragEvent, type KeyboardEvent, useState } from 'react';
import { Checkbox, SearchField } from '../controls/controls.tsx';
import { Pop } from '../controls/floating.tsx';
import { Icon } from '../controls/icons.tsx';

export interface ChosenColumn {
  id: string;
  /** The column's head. */
  title: string;
  /** Its name in the chooser, where it differs. */
  longTitle?: string;
  /** Always shown. */
  locked?: boolean;
}

interface ChooserProps {
  columns: readonly ChosenColumn[];
  /** Ids in their order. */
  shown: readonly string[];
  /** `undefined` asks for the default columns again. */
  onShown: (ids: readonly string[] | undefined) => void;
}

const titleOf = (column: ChosenColumn): string => column.longTitle ?? column.title;

/** The list with one entry moved to where another one is. */
export function moveTo(ids: readonly string[], from: string, to: string): string[] {
  const rest = ids.filter((id) => id !== from);
  const at = ids.indexOf(to);
  const past = ids.indexOf(from) < at ? at : Math.max(0, at);
  return [...rest.slice(0, past), from, ...rest.slice(past)];
}

function ColumnList({ columns, shown, onShown, wanted }: ChooserProps & { wanted: string }) {
  const [dragged, setDragged] = useState<string>();
  const ordered = [
    ...shown.flatMap((id) => columns.find((column) => column.id === id) ?? []),
    ...columns.filter((column) => !shown.includes(column.id)),
  ].filter((column) => titleOf(column).toLowerCase().includes(wanted.toLowerCase()));
  const toggle = (id: string, on: boolean): void => onShown(on ? [...shown, id] : shown.filter((other) => other !== id));
  const drop = (event: DragEvent, id: string): void => {
    event.preventDefault();
    if (dragged && dragged !== id && shown.includes(id)) onShown(moveTo(shown, dragged, id));
    setDragged(undefined);
  };
  const nudge = (event: KeyboardEvent, id: string): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const target = shown[shown.indexOf(id) + step];
    if (target) onShown(moveTo(shown, id, target));
  };
  return (
    <ul className="list">
      {ordered.map((column) => {
        const on = shown.includes(column.id);
        return (
          <li
            key={column.id}
            draggable={on}
            onDragStart={() => setDragged(column.id)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => drop(event, column.id)}
            className={dragged === column.id ? 'dragged' : undefined}
          >
            <span className="grow">
              <Checkbox
                checked={on}
                disabled={column.locked ?? false}
                label={titleOf(column)}
                onChange={(next) => toggle(column.id, next)}
              />
            </span>
            {column.locked ? <Icon name="lock" size={14} className="mute" /> : null}
            {on && !column.locked ? (
              <button
                type="button"
                className="grip"
                aria-label={`Move ${titleOf(column)}: arrow up or down`}
                onKeyDown={(event) => nudge(event, column.id)}
              >
                <Icon name="grip" size={14} />
              </button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

/** Which columns of a table are shown, in which order; locked ones always stay. */
export function ColumnChooser({ columns, shown, onShown }: ChooserProps) {
  const [wanted, setWanted] = useState('');
  return (
    <Pop
      position="bottom-end"
      target={(open, toggle) => (
        <button type="button" className="btn quiet" aria-expanded={open} onClick={toggle}>
          <Icon name="columns" size={14} />
          Columns <span className="mute num">{shown.length}</span>
        </button>
      )}
    >
      {() => (
        <>
          <div className="pophead">
            <SearchField value={wanted} label="Find a column" placeholder="Find a column" onChange={setWanted} />
          </div>
          <ColumnList columns={columns} shown={shown} onShown={onShown} wanted={wanted} />
          <div className="popfoot">
            <button type="button" className="linkish plainlink" onClick={() => onShown(undefined)}>
              Reset
            </button>
            <span className="mute num">
              {shown.length} of {columns.length}
            </span>
          </div>
        </>
      )}
    </Pop>
  );
}
