import type { TestRow } from '@svc/contracts/tests/views';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { tell } from '../../../api.ts';
import { useSearchChange } from '../../../ui/address/use-search-change.ts';
import { Button } from '../../../ui/controls/controls.tsx';
import { Pop } from '../../../ui/controls/floating.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Confirm } from '../../../ui/dialogs/dialog.tsx';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { CHANGED } from '../test-queries.ts';
import type { RunUnderWay } from '../use-run.ts';
import type { TestSearch } from './test-search.ts';

interface ActionsProps {
  row: TestRow;
  run: RunUnderWay;
}

/** Run, pause, edit; clone and delete behind them. */
export function TestActions({ row, run }: ActionsProps) {
  const { test } = row;
  const change = useSearchChange<TestSearch>();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const unavailable = useMay('test.write') ? undefined : refusalWords('test.write');
  const [removing, setRemoving] = useState(false);
  const again = () => Promise.all(CHANGED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  const pause = useMutation({
    mutationFn: () => tell('tests.setEnabled', { ids: [test.id], enabled: !test.enabled }),
    onSuccess: again,
  });
  const remove = useMutation({
    mutationFn: () => tell('tests.remove', { ids: [test.id] }),
    onSuccess: async () => {
      await navigate({ to: '/tests' });
      queryClient.removeQueries({ queryKey: ['tests.get', test.id] });
      await queryClient.invalidateQueries({ queryKey: ['tests.list'] });
    },
  });
  return (
    <>
      <Button look="primary" icon="play" busy={run.isRunning} unavailable={unavailable} onClick={run.begin}>
        Run now
      </Button>
      <Button
        icon={test.enabled ? 'pause' : 'play'}
        busy={pause.isPending}
        unavailable={unavailable}
        onClick={() => pause.mutate()}
      >
        {test.enabled ? 'Pause' : 'Resume'}
      </Button>
      <Button icon="pencil" unavailable={unavailable} onClick={() => change({ drawer: 'edit' })}>
        Edit
      </Button>
      <Pop
        position="bottom-end"
        width="max-content"
        target={(open, toggle) => (
          <button type="button" className="btn" aria-expanded={open} onClick={toggle}>
            <Icon name="dots" size={14} />
            More
          </button>
        )}
      >
        {(close) => (
          <ul className="list">
            <li className="flush">
              <button
                type="button"
                className="opt"
                disabled={unavailable !== undefined}
                onClick={() => {
                  close();
                  change({ drawer: 'clone' });
                }}
              >
                Clone
              </button>
            </li>
            <li className="flush">
              <button
                type="button"
                className="opt"
                disabled={unavailable !== undefined}
                onClick={() => {
                  close();
                  setRemoving(true);
                }}
              >
                Delete
              </button>
            </li>
          </ul>
        )}
      </Pop>
      {pause.error ? <p className="s err">{pause.error.message}</p> : null}
      <Confirm
        open={removing}
        title={`Delete ${test.name}?`}
        action="Delete"
        busy={remove.isPending}
        error={remove.error?.message}
        onConfirm={() => remove.mutate()}
        onClose={() => setRemoving(false)}
      >
        Measuring stops at once. The runs already made are kept until their retention ends, but no page shows them any more.
      </Confirm>
    </>
  );
}
