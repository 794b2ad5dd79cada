import './draft.css';
import { Icon } from '../controls/icons.tsx';
import { formatMoment } from '../words/format.ts';
import type { Draft } from './use-draft.ts';

type Shown = Pick<Draft<object>, 'isDirty' | 'restoredAt' | 'discard'>;

/** Above a form: says that what was typed is back, and offers to do without it. */
export function DraftNote({ draft: { restoredAt, isDirty, discard } }: { draft: Shown }) {
  if (restoredAt === undefined || !isDirty) return null;
  return (
    <p className="note draft-note" role="status">
      <Icon name="clock" size={14} />
      <span className="grow">Restored what you had typed ({formatMoment(restoredAt, Date.now())}). It is not saved.</span>
      <button type="button" className="linkish" onClick={discard}>
        Discard
      </button>
    </p>
  );
}

/** Beside the button that saves. */
export function UnsavedMark({ draft }: { draft: Pick<Shown, 'isDirty'> }) {
  return draft.isDirty ? (
    <span className="unsaved s">
      <svg width="8" height="8" aria-hidden="true">
        <circle cx="4" cy="4" r="3.5" fill="var(--accent)" />
      </svg>
      Not saved yet
    </span>
  ) : null;
}
