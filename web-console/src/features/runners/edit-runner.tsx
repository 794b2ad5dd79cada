import type { RunnerView } from '@svc/contracts/tests/views';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { tell } from '../../api.ts';
import { Field } from '../../ui/controls/controls.tsx';
import { FormDialog } from '../../ui/dialogs/dialogs.tsx';
import { useDraft } from '../../ui/draft/use-draft.ts';
import { readLabels, writeLabels } from '../../ui/words/labels.ts';

/** What a runner is called, where it stands, and the labels that tests choose it by. */
export function EditRunner({ runner, onClose }: { runner: RunnerView; onClose: () => void }) {
  const queryClient = useQueryClient();
  const draft = useDraft(`runners.edit.${runner.id}`, {
    name: runner.name,
    site: runner.site ?? '',
    labels: writeLabels(runner.labels),
  });
  const { name, site, labels } = draft.value;
  const save = useMutation({
    mutationFn: () =>
      tell('runners.update', { id: runner.id, name: name.trim(), site: site.trim() || null, labels: readLabels(labels) }),
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries({ queryKey: ['runners.list'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Change ${runner.name}`}
      action="Save"
      busy={save.isPending}
      unavailable={name.trim() === '' ? 'Give it a name' : undefined}
      error={save.error?.message}
      draft={draft}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Field
        label="Name"
        data-autofocus
        maxLength={128}
        value={name}
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <Field
        label="Site (optional)"
        maxLength={128}
        value={site}
        onChange={(event) => draft.change({ site: event.currentTarget.value })}
      />
      <Field
        label="Labels (optional)"
        value={labels}
        placeholder="region=eu, wired"
        hint="Tests that choose runners by these labels begin or end to run here at once."
        onChange={(event) => draft.change({ labels: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
