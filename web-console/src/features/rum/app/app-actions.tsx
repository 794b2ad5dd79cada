import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { tell } from '../../../api.ts';
import { Button, Field } from '../../../ui/controls/controls.tsx';
import { Confirm } from '../../../ui/dialogs/dialog.tsx';
import { FormDialog } from '../../../ui/dialogs/dialogs.tsx';
import { useDraft } from '../../../ui/draft/use-draft.ts';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { AppFields, faultOf, readApp } from '../app-fields.tsx';
import { CHANGED, type RumApp } from '../rum-queries.ts';

type Act = 'change' | 'rotate' | 'remove';

/** Changes the app, its key, or takes it away. What SVC_RUM_APPS names is changed there. */
export function AppActions({ app }: { app: RumApp }) {
  const mayWrite = useMay('settings.write');
  const [act, setAct] = useState<Act>();
  const unavailable = !mayWrite
    ? refusalWords('settings.write')
    : app.source === 'configuration'
      ? 'This app is named in SVC_RUM_APPS and is changed there.'
      : undefined;
  const close = (): void => setAct(undefined);
  const button = (name: Act, label: string) => (
    <Button look={name === 'remove' ? 'quiet' : 'default'} unavailable={unavailable} onClick={() => setAct(name)}>
      {label}
    </Button>
  );
  return (
    <div className="rum-acts rum-acts-row">
      {button('change', 'Change')}
      {button('rotate', 'New key')}
      {button('remove', 'Remove')}
      {act === 'change' ? <ChangeApp app={app} onClose={close} /> : null}
      {act === 'rotate' ? <RotateKey app={app} onClose={close} /> : null}
      {act === 'remove' ? <RemoveApp app={app} onClose={close} /> : null}
    </div>
  );
}

interface ActProps {
  app: RumApp;
  onClose: () => void;
}

/** A change whose success every page of real users asks for again. */
function useChange(change: () => Promise<unknown>, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      await Promise.all(CHANGED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      onDone();
    },
  });
}

function ChangeApp({ app, onClose }: ActProps) {
  const draft = useDraft(`rum.change.${app.id}`, {
    name: app.name,
    hosts: app.hosts.join('\n'),
    rate: app.rate_per_min === null ? '' : String(app.rate_per_min),
  });
  const change = useChange(
    () => tell('rum.apps.update', { id: app.id, ...readApp(draft.value) }),
    () => {
      draft.clear();
      onClose();
    },
  );
  return (
    <FormDialog
      title={`Change ${app.name}`}
      action="Save"
      busy={change.isPending}
      unavailable={faultOf(draft.value, false)}
      error={change.error?.message}
      draft={draft}
      onSubmit={() => change.mutate()}
      onClose={onClose}
    >
      <AppFields value={draft.value} change={draft.change} />
    </FormDialog>
  );
}

const MOST_HOURS = 2160;
const USUAL_HOURS = '168';

function RotateKey({ app, onClose }: ActProps) {
  const [hours, setHours] = useState(USUAL_HOURS);
  const isValid = /^\d{1,4}$/.test(hours) && Number(hours) <= MOST_HOURS;
  const rotate = useChange(() => tell('rum.apps.rotate', { id: app.id, overlap_hours: Number(hours) }), onClose);
  return (
    <FormDialog
      title={`New key for ${app.name}`}
      action="Create new key"
      busy={rotate.isPending}
      unavailable={isValid ? undefined : 'Check the hours'}
      error={rotate.error?.message}
      onSubmit={() => rotate.mutate()}
      onClose={onClose}
    >
      <p className="soft">
        The snippet names the new key from now on. Pages that still hold the old one go on counting until it ends; after that
        their beacons are refused and counted as unknown key.
      </p>
      <Field
        label="The old key is taken for"
        unit="hours"
        data-autofocus
        inputMode="numeric"
        value={hours}
        hint="0: it ends at once."
        error={isValid ? undefined : `0 to ${MOST_HOURS}`}
        onChange={(event) => setHours(event.currentTarget.value.trim())}
      />
    </FormDialog>
  );
}

function RemoveApp({ app, onClose }: ActProps) {
  const navigate = useNavigate();
  const remove = useChange(
    () => tell('rum.apps.remove', { id: app.id }),
    () => {
      onClose();
      void navigate({ to: '/rum' });
    },
  );
  return (
    <Confirm
      open
      title={`Remove ${app.name}?`}
      action="Remove"
      busy={remove.isPending}
      error={remove.error?.message}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its keys are refused from now on, and beacons of pages that still hold the snippet are counted as unknown key. What was
      measured is kept until its retention ends.
    </Confirm>
  );
}
