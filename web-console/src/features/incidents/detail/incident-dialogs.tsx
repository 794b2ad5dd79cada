import type { Incident, IncidentView } from '@svc/contracts/incidents/incident';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { ask, tell } from '../../../api.ts';
import { ConfirmChange, FormDialog } from '../../../ui/dialogs/dialogs.tsx';
import { useDraft } from '../../../ui/draft/use-draft.ts';
import { ChoiceFilter } from '../../../ui/table/choice-filter.tsx';
import { useIncidentChange } from './use-incident-change.ts';

interface DialogProps {
  incident: Incident;
  onClose: () => void;
}

const MAX_COMMENT = 4000;

/** Resolving and reopening, with a word on why that stands in the order of events. */
export function ResolveDialog({ verb, incident, onClose }: DialogProps & { verb: 'resolve' | 'reopen' }) {
  const draft = useDraft(`incident-${verb}-${incident.id}`, { comment: '' });
  const id = useId();
  const done = (): void => {
    draft.clear();
    onClose();
  };
  const resolve = useIncidentChange('incidents.resolve', done);
  const reopen = useIncidentChange('incidents.reopen', done);
  const run = verb === 'resolve' ? resolve : reopen;
  const comment = useIncidentChange('incidents.comment');
  const text = draft.value.comment.trim();
  const [said, setSaid] = useState('');
  const end = (): void => run.mutate({ id: incident.id });
  // Said first: what was it stands in the order of events before its end; and once, however often that is tried.
  const say = (): void => {
    const onSuccess = (): void => {
      setSaid(text);
      end();
    };
    if (text === '' || text === said) end();
    else comment.mutate({ id: incident.id, text }, { onSuccess });
  };
  const failing = incident.open_signal_count;
  return (
    <FormDialog
      title={verb === 'resolve' ? `Resolve incident ${incident.number}` : `Reopen incident ${incident.number}`}
      action={verb === 'resolve' ? 'Resolve' : 'Reopen'}
      busy={run.isPending || comment.isPending}
      error={comment.error?.message ?? run.error?.message}
      draft={draft}
      onClose={onClose}
      onSubmit={say}
    >
      {verb === 'resolve' && failing > 0 ? (
        <p className="soft">
          {failing === 1 ? 'One signal has' : `${failing} signals have`} not recovered. If the same fails again within an hour,
          the incident opens again.
        </p>
      ) : null}
      <div className="labelled">
        <label htmlFor={id}>What was it? (optional)</label>
        <textarea
          id={id}
          className="input"
          rows={3}
          maxLength={MAX_COMMENT}
          value={draft.value.comment}
          onChange={(event) => draft.change({ comment: event.currentTarget.value })}
        />
      </div>
    </FormDialog>
  );
}

export function AssignDialog({ incident, onClose }: DialogProps) {
  const [account, setAccount] = useState<string | undefined>(incident.assigned_to?.id);
  const people = useQuery({
    queryKey: ['incidents.people'],
    queryFn: ({ signal }) => ask('incidents.people', undefined, signal),
  });
  const assign = useIncidentChange('incidents.assign', onClose);
  return (
    <FormDialog
      title={`Who has incident ${incident.number}?`}
      action="Give"
      busy={assign.isPending}
      error={assign.error?.message ?? people.error?.message}
      unavailable={account === incident.assigned_to?.id ? 'Choose somebody else, or nobody.' : undefined}
      onClose={onClose}
      onSubmit={() => assign.mutate({ id: incident.id, account: account ?? null })}
    >
      <ChoiceFilter
        label="Person"
        placeholder="Nobody"
        choices={(people.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={account}
        shown={incident.assigned_to?.name}
        onChange={setAccount}
      />
      <p className="s mute">People who may change incidents. What is assigned stays open until it is resolved.</p>
    </FormDialog>
  );
}

export function MergeDialog({ incident, onClose }: DialogProps) {
  const [into, setInto] = useState<string>();
  const navigate = useNavigate();
  const others = useQuery({
    queryKey: ['incidents.list', 'merge'],
    queryFn: ({ signal }) => ask('incidents.list', { status: ['open', 'acknowledged'], sort: 'newest', limit: 200 }, signal),
  });
  const merge = useIncidentChange('incidents.merge', () => {
    onClose();
    if (into) void navigate({ to: '/incidents/$id', params: { id: into } });
  });
  const choices = (others.data?.items ?? []).filter(({ id }) => id !== incident.id);
  return (
    <FormDialog
      title={`Merge incident ${incident.number} into another`}
      action="Merge"
      busy={merge.isPending}
      error={merge.error?.message ?? others.error?.message}
      unavailable={
        others.data && choices.length === 0 ? 'No other incident is open.' : into ? undefined : 'Choose the incident that stays.'
      }
      onClose={onClose}
      onSubmit={() => into && merge.mutate({ id: incident.id, into })}
    >
      <p className="soft">Its signals move over, and it is resolved with a note that names the other. This cannot be undone.</p>
      <ChoiceFilter
        label="Incident that stays"
        placeholder="Number or words"
        choices={choices.map(({ id, number, title }) => ({ value: id, label: `${number}: ${title}` }))}
        value={into}
        onChange={setInto}
      />
    </FormDialog>
  );
}

interface RemoveProps {
  view: IncidentView;
  signalId: string;
  onClose: () => void;
}

/** A signal that joined by mistake: it goes on its own. */
export function RemoveSignal({ view, signalId, onClose }: RemoveProps) {
  const signal = view.signals.find(({ id }) => id === signalId);
  return (
    <ConfirmChange
      title="Take this signal out?"
      action="Take it out"
      change={() => tell('incidents.removeSignal', { id: view.incident.id, signal: signalId })}
      list={['incidents.get', view.incident.id]}
      onClose={onClose}
    >
      “{signal?.title ?? 'The signal'}” leaves incident {view.incident.number}. While it has not recovered it gets an incident of
      its own.
    </ConfirmChange>
  );
}
