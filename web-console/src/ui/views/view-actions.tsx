import { useEffect, useRef, useState } from 'react';
import { tell } from '../../api.ts';
import { Button } from '../controls/controls.tsx';
import { NameForm } from './save-view.tsx';
import { actsOn, type SavedView, type SavedViewList, toSaved, type ViewActs } from './saved-views.ts';
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

type Asked = 'rename' | 'remove' | undefined;

/** What its reader may do with one view, under its name. A question takes the place of the actions, and the focus with it. */
export function ViewActions({ view, list, query, isShown, onDone }: ViewActionsProps) {
  const { id, page, name } = view;
  const [asked, setAsked] = useState<Asked>();
  const { run, error, busy } = useViewChange(page, onDone);
  const parts = useRef<HTMLDivElement>(null);
  const before = useRef<Asked>(undefined);
  useEffect(() => {
    if (asked !== before.current) parts.current?.querySelector<HTMLElement>('input, button')?.focus();
    before.current = asked;
  }, [asked]);
  const update = (part: { name?: string; search?: string; shared?: boolean }): void =>
    run(() => tell('savedViews.update', { id, ...part }));
  return (
    <div className="viewacts" ref={parts}>
      {asked === 'rename' ? (
        <NameForm
          label={`New name of ${name}`}
          action="Rename"
          initial={name}
          busy={busy}
          error={error}
          onName={(next) => update({ name: next })}
        />
      ) : null}
      {asked === 'remove' ? (
        <div className="viewform">
          <p className="s">{view.shared ? `Delete ${name} for everybody?` : `Delete ${name}?`}</p>
          <Button onClick={() => setAsked(undefined)}>Keep</Button>
          <Button look="danger" busy={busy} onClick={() => run(() => tell('savedViews.remove', { id }))}>
            Delete
          </Button>
        </div>
      ) : null}
      {asked === undefined ? (
        <div className="viewform">
          <Choices
            acts={actsOn(view, list, isShown)}
            busy={busy}
            isDefault={view.is_default}
            onAsk={setAsked}
            onUpdate={() => update({ search: toSaved(query) })}
            onShare={(shared) => update({ shared })}
            onDefault={() => run(() => tell('savedViews.setDefault', { page, id: view.is_default ? null : id }))}
          />
        </div>
      ) : null}
      {error && asked !== 'rename' ? (
        <p className="err s" role="alert">
          {error}
        </p>
      ) : null}
    </div>
  );
}

interface ChoicesProps {
  acts: ViewActs;
  busy: boolean;
  isDefault: boolean;
  onAsk: (asked: Asked) => void;
  onUpdate: () => void;
  onShare: (shared: boolean) => void;
  onDefault: () => void;
}

function Choices({ acts, busy, isDefault, onAsk, onUpdate, onShare, onDefault }: ChoicesProps) {
  return (
    <>
      {acts.update ? (
        <Button busy={busy} onClick={onUpdate}>
          Update to what is shown
        </Button>
      ) : null}
      {acts.rename ? <Button onClick={() => onAsk('rename')}>Rename</Button> : null}
      {acts.share ? (
        <Button busy={busy} onClick={() => onShare(acts.share === 'share')}>
          {acts.share === 'share' ? 'Share with everybody' : 'Stop sharing'}
        </Button>
      ) : null}
      <Button busy={busy} onClick={onDefault}>
        {isDefault ? 'Stop opening with it' : 'Make default'}
      </Button>
      {acts.remove ? <Button onClick={() => onAsk('remove')}>Delete</Button> : null}
    </>
  );
}
