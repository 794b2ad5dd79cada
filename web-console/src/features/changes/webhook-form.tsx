import type { ChangeProvider } from '@svc/contracts/changes/kinds';
import type { WebhookSecret } from '@svc/contracts/changes/webhook';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tell } from '../../api.ts';
import { Field, Segments } from '../../ui/controls/controls.tsx';
import { FormDialog } from '../../ui/dialogs/dialogs.tsx';
import { useDraft } from '../../ui/draft/use-draft.ts';
import { PROVIDER_NAMES } from './recipes.ts';
import { SecretShown } from './secret-shown.tsx';

export const WEBHOOK_FORM = 'changes.webhook';

const OPTIONS = (['forge_a', 'forge_b', 'generic'] as const satisfies readonly ChangeProvider[]).map((value) => ({
  value,
  label: PROVIDER_NAMES[value],
}));

const initial = { provider: 'forge_a' as ChangeProvider, name: '' };

/** Makes a webhook, then shows its address and secret in the form's place. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const draft = useDraft(WEBHOOK_FORM, initial);
  // Never kept as a draft: it is a secret.
  const [token, setToken] = useState('');
  const queryClient = useQueryClient();
  const { provider, name } = draft.value;
  const make = useMutation({
    mutationFn: (): Promise<WebhookSecret> =>
      tell('changes.webhooks.create', { provider, name: name.trim(), ...(token.trim() ? { secret: token.trim() } : {}) }),
    onSuccess: () => {
      draft.clear();
      return queryClient.invalidateQueries({ queryKey: ['changes.webhooks.list'] });
    },
  });
  if (make.data) return <SecretShown made={make.data} onClose={onClose} />;
  return (
    <FormDialog
      title="New webhook"
      action="Create"
      busy={make.isPending}
      unavailable={name.trim() === '' ? 'Name it first' : undefined}
      error={make.error?.message}
      draft={draft}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <Segments label="Who sends" options={OPTIONS} value={provider} onChange={(next) => draft.change({ provider: next })} />
      <Field
        label="Name"
        data-autofocus
        maxLength={200}
        value={name}
        placeholder="acme/shop"
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      {provider === 'forge_b' ? (
        <Field
          label="Signing token (optional)"
          maxLength={500}
          value={token}
          placeholder="whsec_..."
          autoComplete="off"
          hint="Where GitLab has created one: then its signature has to pass, and a secret token alone lets nothing in."
          onChange={(event) => setToken(event.currentTarget.value)}
        />
      ) : null}
    </FormDialog>
  );
}
