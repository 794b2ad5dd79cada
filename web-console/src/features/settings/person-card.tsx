import { Checkbox, Field } from '../../ui/controls/controls.tsx';
import { MAX_PAUSE, numberFault, type PolicyDraft } from './policy-draft.ts';

interface PersonCardProps {
  draft: PolicyDraft;
  onChange: (draft: PolicyDraft) => void;
}

/** What the person at a device may do: pause, and be asked before anything is measured. */
export function PersonCard({ draft, onChange }: PersonCardProps) {
  return (
    <section className="card" aria-labelledby="person-h">
      <header>
        <h2 id="person-h">The person at the device</h2>
        <span className="s mute">may always pause, and read what was sent</span>
      </header>
      <div className="body">
        <div className="formgrid">
          <Field
            label={MAX_PAUSE.label}
            unit={MAX_PAUSE.unit}
            inputMode="numeric"
            value={draft.maxPauseMinutes}
            error={numberFault(draft.maxPauseMinutes, MAX_PAUSE)}
            onChange={(event) => onChange({ ...draft, maxPauseMinutes: event.currentTarget.value })}
          />
        </div>
        <Checkbox
          checked={draft.mustAccept}
          onChange={(mustAccept) => onChange({ ...draft, mustAccept })}
          label={
            <span>
              <b className="med">Ask before measuring</b>{' '}
              <span className="mute">Nothing is measured until the person accepts. Otherwise showing it once is enough.</span>
            </span>
          }
        />
        <Checkbox
          checked={draft.tellShared}
          onChange={(tellShared) => onChange({ ...draft, tellShared })}
          label={
            <span>
              <b className="med">Tell how many others have the same</b>{' '}
              <span className="mute">
                A slow device learns how many more at its site are slow for one cause, from three on; no names.
              </span>
            </span>
          }
        />
      </div>
    </section>
  );
}
