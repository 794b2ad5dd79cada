import type { IncidentSettings } from '@svc/contracts/incidents/acts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, tell } from '../../api.ts';
import { Button, Checkbox, Field } from '../../ui/controls/controls.tsx';
import { DraftNote, UnsavedMark } from '../../ui/draft/draft-note.tsx';
import { useDraft } from '../../ui/draft/use-draft.ts';
import { ROLE_NAMES } from '../../ui/permission/role-words.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';

const KEY = ['incidents.settings.get'];
/** A week, as the contract has it. */
const MOST_MINUTES = 10_080;

/** When an incident is over, and what opens one beside tests and devices. */
export function IncidentsTab() {
  const settings = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ask('incidents.settings.get', undefined, signal) });
  if (settings.isError && !settings.data) return <Failure error={settings.error} retry={() => void settings.refetch()} />;
  if (!settings.data) return <Ghost width={480} says="Incidents, loading" />;
  return <IncidentsForm key={JSON.stringify(settings.data)} settings={settings.data} />;
}

function minutesFault(text: string): string | undefined {
  return /^\d{1,5}$/.test(text.trim()) && Number(text) <= MOST_MINUTES ? undefined : '0 to 10,080';
}

function IncidentsForm({ settings }: { settings: IncidentSettings }) {
  const queryClient = useQueryClient();
  const may = useMay('settings.write');
  const draft = useDraft('settings.incidents', {
    minutes: String(settings.auto_resolve_minutes),
    edges: settings.edge_failing,
  });
  const fault = minutesFault(draft.value.minutes);
  const save = useMutation({
    mutationFn: () =>
      tell('incidents.settings.set', {
        auto_resolve_minutes: Number(draft.value.minutes),
        edge_failing: draft.value.edges,
      }),
    onSuccess: (next) => {
      draft.clear();
      queryClient.setQueryData(KEY, next);
    },
  });
  let blocked: string | undefined;
  if (fault) blocked = 'Correct the marked field first';
  else if (!draft.isDirty) blocked = 'Nothing changed yet';
  return (
    <form
      className="card"
      aria-labelledby="incidents-h"
      onSubmit={(event) => {
        event.preventDefault();
        if (may && !blocked) save.mutate();
      }}
    >
      <header>
        <h2 id="incidents-h">Incidents</h2>
        <span className="s mute">of the whole tenant</span>
      </header>
      <div className="body">
        {may ? (
          <DraftNote draft={draft} />
        ) : (
          <p className="note">Your role can read these settings. Someone with the role {ROLE_NAMES.admin} can change them.</p>
        )}
        <fieldset className="policy" disabled={!may}>
          <div className="formgrid">
            <Field
              label="An incident resolves after"
              unit="min"
              hint="Minutes since the last of its signals recovered; 0: only a person resolves it."
              inputMode="numeric"
              value={draft.value.minutes}
              error={fault}
              onChange={(event) => draft.change({ minutes: event.currentTarget.value })}
            />
          </div>
          <Checkbox
            checked={draft.value.edges}
            disabled={!may}
            label="Watch calls between services: an edge of the service map opens an incident when over 5% of its calls fail, and more than in its last 24 hours."
            onChange={(edges) => draft.change({ edges })}
          />
        </fieldset>
        {may ? (
          <div className="row savebar">
            <Button look="primary" type="submit" busy={save.isPending} unavailable={blocked}>
              Save
            </Button>
            <UnsavedMark draft={draft} />
            {save.error ? (
              <span className="err" role="alert">
                {save.error.message}
              </span>
            ) : null}
          </div>
        ) : null}
      </div>
    </form>
  );
}
