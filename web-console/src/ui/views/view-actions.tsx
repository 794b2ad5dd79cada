import { useState } from 'react';
import { tell } from '../../api.ts';
import { Button } from '../controls.tsx';
import { NameForm } from './save-view.tsx';
import { actsOn, type SavedView, type SavedViewList, toSaved } from './saved-views.ts';
import { useViewChange } from './use-view-change.ts';

interface ViewActionsProps {
  view: SavedView;
  list: SavedViewList;
  /** Of the address. */
  query: string;
  /** Whether the address shows this view as it is. */
  isShown: boolean;
  onDone: () => void;
}

/** What its reader may do with one view, under its name. */
export function ViewActions({ view, list, query, isShown, onDone }: ViewActionsProps) {
  const { id, page, name } = view;
  const [asked, setAsked] = useState<'rename' | 'remove'>();
  const { run, error, busy } = useViewChange(page, onDone);
  const acts = actsOn(view, list, isShown);
  const update = (part: { name?: string; search?: string; shared?: boolean }): void =>
    run(() => tell('savedViews.update', { id, ...part }));
  if (asked === 'rename')
    return (
      <NameForm
        label={`New name of ${name}`}
        action="Rename"
        initial={name}
        busy={busy}
        error={error}
        onName={(next) => update({ name: next })}
      />
    );
  if (asked === 'remove')
    return (
      <div className="viewform">
        <p className="s">{view.shared ? `Delete ${name} for everybody?` : `Delete ${name}?`}</p>
        <Button onClick={() => setAsked(undefined)}>Keep</Button>
        <Button look="danger" busy={busy} onClick={() => run(() => tell('savedViews.remove', { id }))}>
          Delete
        </Button>
        <Refusal error={error} />
      </div>
    );
  return (
    <div className="viewform">
      {acts.update ? (
        <Button busy={busy} onClick={() => update({ search: toSaved(query) })}>
          Update to what is shown
        </Button>
      ) : null}
      {acts.rename ? <Button onClick={() => setAsked('rename')}>Rename</Button> : null}
      {acts.share ? (
        <Button busy={busy} onClick={() => update({ shared: acts.share === 'share' })}>
          {acts.share === 'share' ? 'Share with everybody' : 'Stop sharing'}
        </Button>
      ) : null}
      <Button busy={busy} onClick={() => run(() => tell('savedViews.setDefault', { page, id: view.is_default ? null : id }))}>
        {view.is_default ? 'Stop opening with it' : 'Make default'}
      </Button>
      {acts.remove ? <Button onClick={() => setAsked('remove')}>Delete</Button> : null}
      <Refusal error={error} />
    </div>
  );
}

function Refusal({ error }: { error: string | undefined }) {
  return error ? (
    <p className="err s" role="alert">
      {error}
    </p>
  ) : null;
}
