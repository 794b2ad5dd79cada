import type { MaintenanceWindow } from '@svc/contracts/tests/keeping';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask, tell } from '../../../api.ts';
import { Button, IconButton } from '../../../ui/controls/controls.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { ConfirmChange } from '../../../ui/dialogs/dialogs.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';
import { ACTIONS, type Column, ColumnHeads } from '../../../ui/table/column-heads.tsx';
import { actorWords } from '../../../ui/words/actor-words.ts';
import { WINDOWS, WindowDialog } from './maintenance-dialog.tsx';
import { scopeWords, timesWords } from './maintenance-words.ts';

const COLUMNS: readonly Column[] = ['Name', 'Of', 'When', 'State', 'By', ACTIONS];
/** Enough to name the tests that windows are of. */
const MOST_TESTS = 1000;

/** Names of tests by their id, and the choice of a window's form. */
export function useTestNames() {
  return useQuery({
    queryKey: ['tests.list', 'names'],
    queryFn: ({ signal }) => ask('tests.list', { sort: [{ by: 'name', descending: false }], limit: MOST_TESTS }, signal),
    staleTime: 60_000,
  }).data?.items.map(({ test }) => ({ id: test.id, name: test.name }));
}

/** When signals are held back: measuring goes on. */
export function MaintenanceCard() {
  const list = useQuery({ queryKey: WINDOWS, queryFn: ({ signal }) => ask('tests.maintenance.list', {}, signal) });
  const names = useTestNames();
  const unavailable = useMay('test.write') ? undefined : refusalWords('test.write');
  const [editing, setEditing] = useState<MaintenanceWindow | 'new'>();
  const [removing, setRemoving] = useState<MaintenanceWindow>();
  if (list.isError && !list.data) return <Failure error={list.error} retry={() => void list.refetch()} />;
  const items = list.data?.items;
  return (
    <section className="card" aria-labelledby="maintenance-h">
      <header>
        <h2 id="maintenance-h">Maintenance windows</h2>
        <span className="s mute">measuring goes on, signals are held back</span>
        <span className="grow" />
        <Button icon="plus" unavailable={unavailable} onClick={() => setEditing('new')}>
          Add a window
        </Button>
      </header>
      {items?.length === 0 ? (
        <EmptyState icon="wrench" title="No window yet">
          <p>In a window, once or each week, what fails of a test, a target or a site raises no incident.</p>
        </EmptyState>
      ) : (
        <ScrollX label="Maintenance windows">
          <table>
            <ColumnHeads columns={COLUMNS} />
            <tbody>
              {items?.map((window) => (
                <WindowRow
                  key={window.id}
                  window={window}
                  testName={(id) => names?.find((test) => test.id === id)?.name ?? id}
                  mayWrite={unavailable === undefined}
                  onEdit={() => setEditing(window)}
                  onRemove={() => setRemoving(window)}
                />
              )) ?? (
                <tr>
                  <td colSpan={COLUMNS.length}>
                    <Ghost width={420} says="Maintenance windows, loading" />
                  </td>
                </tr>
              )}
            </tbody>
          </table>
        </ScrollX>
      )}
      {editing ? (
        <WindowDialog window={editing === 'new' ? undefined : editing} tests={names} onClose={() => setEditing(undefined)} />
      ) : null}
      {removing ? (
        <ConfirmChange
          title={`Delete ${removing.name}?`}
          action="Delete"
          change={() => tell('tests.maintenance.remove', { id: removing.id })}
          list={WINDOWS}
          onClose={() => setRemoving(undefined)}
        >
          {removing.active
            ? 'It is active: signals that are held back now are raised from here on.'
            : 'No signal is held back by it.'}
        </ConfirmChange>
      ) : null}
    </section>
  );
}

interface RowProps {
  window: MaintenanceWindow;
  testName: (id: string) => string;
  mayWrite: boolean;
  onEdit: () => void;
  onRemove: () => void;
}

function WindowRow({ window, testName, mayWrite, onEdit, onRemove }: RowProps) {
  return (
    <tr className={window.next === null ? 'gone' : undefined}>
      <td className="med">{window.name}</td>
      <td className="soft windowtimes">{scopeWords(window, testName)}</td>
      <td className="soft windowtimes">{timesWords(window.times, window.zone, Date.now())}</td>
      <td>
        <WindowState window={window} />
      </td>
      <td className="soft">{actorWords(window.created_by)}</td>
      <td className="n">
        {mayWrite ? (
          <>
            <IconButton icon="pencil" label={`Change ${window.name}`} onClick={onEdit} />
            <IconButton icon="trash" label={`Delete ${window.name}`} onClick={onRemove} />
          </>
        ) : null}
      </td>
    </tr>
  );
}

function WindowState({ window: { active, next } }: { window: MaintenanceWindow }) {
  if (!next) return <span>over</span>;
  return active ? (
    <span className="med">
      active until <Time at={next.to} />
    </span>
  ) : (
    <span className="soft">
      next <Time at={next.from} />
    </span>
  );
}
