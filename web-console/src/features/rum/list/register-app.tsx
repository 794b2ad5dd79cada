import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { tell } from '../../../api.ts';
import { FormDialog } from '../../../ui/dialogs/dialogs.tsx';
import { useDraft } from '../../../ui/draft/use-draft.ts';
import { AppFields, faultOf, NEW_APP, readApp } from '../app-fields.tsx';
import { CHANGED } from '../rum-queries.ts';

export const REGISTER_FORM = 'rum.register';

/** Name, hosts and rate of a new app; then its page with the lines to paste. */
export function RegisterApp({ onClose }: { onClose: () => void }) {
  const draft = useDraft(REGISTER_FORM, NEW_APP);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => tell('rum.apps.create', { name: draft.value.name.trim(), ...readApp(draft.value) }),
    onSuccess: async ({ name }) => {
      draft.clear();
      await Promise.all(CHANGED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      onClose();
      await navigate({ to: '/rum/$app', params: { app: name } });
    },
  });
  return (
    <FormDialog
      title="Register an app"
      action="Register"
      busy={create.isPending}
      unavailable={faultOf(draft.value, true)}
      error={create.error?.message}
      draft={draft}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <AppFields value={draft.value} change={draft.change} named />
    </FormDialog>
  );
}
