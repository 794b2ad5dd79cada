import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { tell } from '../../../api.ts';
import { Field } from '../../../ui/controls/controls.tsx';
import { Confirm } from '../../../ui/dialogs/dialog.tsx';
import { FormDialog } from '../../../ui/dialogs/dialogs.tsx';
import { useDraft } from '../../../ui/draft/use-draft.ts';

interface Dialog {
  row: EndpointRow;
  onClose: () => void;
}

export function EditDialog({ row, onClose }: Dialog) {
  const queryClient = useQueryClient();
  const draft = useDraft(`device.${row.id}`, { name: row.name ?? '', site: row.site ?? '', owner: row.owner ?? '' });
  const { name, site, owner } = draft.value;
  const save = useMutation({
    mutationFn: async () => {
      if (name.trim() !== (row.name ?? '')) await tell('fleet.agents.rename', { id: row.id, name: name.trim() || null });
      if (site.trim() !== (row.site ?? '')) await tell('fleet.agents.setSite', { ids: [row.id], site: site.trim() || null });
      if (owner.trim() !== (row.owner ?? '')) await tell('fleet.agents.setOwner', { ids: [row.id], owner: owner.trim() || null });
    },
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Edit ${row.name ?? 'this device'}`}
      action="Save"
      busy={save.isPending}
      error={save.error?.message}
      draft={draft}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Field
        label="Name"
        data-autofocus
        value={name}
        maxLength={255}
        hint="Empty: the device’s own name."
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <Field
        label="Site"
        value={site}
        maxLength={128}
        hint="Devices of one site behind one gateway are compared with each other."
        onChange={(event) => draft.change({ site: event.currentTarget.value })}
      />
      <Field
        label="Owner’s e-mail"
        type="email"
        value={owner}
        maxLength={320}
        hint="Stays here; what is measured carries the device’s id only."
        onChange={(event) => draft.change({ owner: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

const ENDINGS = {
  retire: {
    action: 'Retire',
    words:
      'It leaves the fleet and its agent stops. It may come back with a new enrol token; what it measured stays until its retention ends.',
  },
  revoke: {
    action: 'Revoke',
    words:
      'Its streams end at once and its key cannot enrol again. Do this when the device is lost or its key may be in other hands.',
  },
} as const;

interface Ending extends Dialog {
  kind: keyof typeof ENDINGS;
  title: string;
}

export function EndDialog({ row, kind, title, onClose }: Ending) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const end = useMutation({
    mutationFn: () => tell(`fleet.agents.${kind}`, { ids: [row.id] }),
    onSuccess: async () => {
      await navigate({ to: '/fleet' });
      await queryClient.invalidateQueries();
    },
  });
  const { action, words } = ENDINGS[kind];
  return (
    <Confirm
      open
      title={title}
      action={action}
      busy={end.isPending}
      error={end.error?.message}
      onConfirm={() => end.mutate()}
      onClose={onClose}
    >
      {row.name ?? row.id}: {words}
    </Confirm>
  );
}
