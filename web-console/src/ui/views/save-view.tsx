import type { ViewPage } from '@svc/contracts/saved-views/saved-view';
import { useId, useState } from 'react';
import { tell } from '../../api.ts';
import { Button } from '../controls/controls.tsx';
import { toSaved } from './saved-views.ts';
import { useViewChange } from './use-view-change.ts';

interface NameFormProps {
  label: string;
  action: string;
  initial?: string;
  busy: boolean;
  error: string | undefined;
  onName: (name: string) => void;
}

/** A name and a button beside it; Enter sends it, its error stands under it. */
export function NameForm({ label, action, initial = '', busy, error, onName }: NameFormProps) {
  const [name, setName] = useState(initial);
  const id = useId();
  return (
    <form
      className="viewform"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '' && !busy) onName(name.trim());
      }}
    >
      <input
        className="input"
        aria-label={label}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
        placeholder={label}
        maxLength={80}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Button type="submit" busy={busy} unavailable={name.trim() === '' ? 'Enter a name.' : undefined}>
        {action}
      </Button>
      {error ? (
        <p id={id} className="err s" role="alert">
          {error}
        </p>
      ) : null}
    </form>
  );
}

/** Saves what the page shows, for the reader alone. */
export function SaveView({ page, query, onSaved }: { page: ViewPage; query: string; onSaved: () => void }) {
  const { run, error, busy } = useViewChange(page, onSaved);
  return (
    <div className="popfoot">
      <NameForm
        label="Name this view"
        action="Save"
        busy={busy}
        error={error}
        onName={(name) => run(() => tell('savedViews.create', { page, name, search: toSaved(query) }))}
      />
    </div>
  );
}
