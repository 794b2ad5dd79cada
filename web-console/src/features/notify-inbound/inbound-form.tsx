import type { InboundProvider } from '@svc/contracts/notify/kinds';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tell } from '../../api.ts';
import type { Output } from '../../api-types.ts';
import { Field, Segments } from '../../ui/controls/controls.tsx';
import { FormDialog } from '../../ui/dialogs/dialogs.tsx';
import { useDraft } from '../../ui/draft/use-draft.ts';
import { connectorsQuery, inboundQuery } from '../../ui/notify/notify-queries.ts';
import { PROVIDER_NAMES } from '../../ui/notify/provider-mark.tsx';
import { InboundShown } from './inbound-shown.tsx';
import { INBOUND_CHOICES } from './inbound-words.ts';
import { NoRestKey } from './no-rest-key.tsx';

export const INBOUND_FORM = 'notifyInbound.webhook';
/** As the contract has it. */
const LEAST_SECRET = 16;

const initial = { provider: 'pager_a' as InboundProvider, name: '', connector: '' };

/** Of a secret that the other side made; empty: one is made here. */
export const secretFault = (secret: string): string | undefined =>
  secret !== '' && !/^[\x21-\x7e]{16,500}$/.test(secret) ? `At least ${LEAST_SECRET} characters, without spaces` : undefined;

interface OwnSecretProps {
  provider: InboundProvider;
  value: string;
  onChange: (value: string) => void;
}

/** PagerDuty alone makes the secret itself. */
export function OwnSecret({ provider, value, onChange }: OwnSecretProps) {
  if (provider !== 'pager_a') return null;
  return (
    <Field
      label="Signing secret of PagerDuty (optional)"
      maxLength={500}
      value={value}
      autoComplete="off"
      error={secretFault(value.trim())}
      hint="It shows one when its webhook is created, which needs the address first: rotate with it then. Left empty, one is made here."
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Makes an inbound webhook, then shows its address and secret in the form's place. */
export function NewInbound({ onClose }: { onClose: () => void }) {
  const draft = useDraft(INBOUND_FORM, initial);
  // Never kept as a draft: it is a secret.
  const [secret, setSecret] = useState('');
  const queryClient = useQueryClient();
  const { provider, name, connector } = draft.value;
  const connectors = (useQuery(connectorsQuery).data?.items ?? []).filter((one) => one.provider === provider);
  const own = provider === 'pager_a' ? secret.trim() : '';
  const make = useMutation({
    mutationFn: (): Promise<Output<'notifyInbound.create'>> =>
      tell('notifyInbound.create', {
        ...{ provider, name: name.trim() },
        ...(connectors.some(({ id }) => id === connector) ? { connector } : {}),
        ...(own ? { secret: own } : {}),
      }),
    onSuccess: () => {
      draft.clear();
      return queryClient.invalidateQueries({ queryKey: inboundQuery.queryKey });
    },
  });
  if (make.data) return <InboundShown made={make.data} isOwn={own !== ''} onClose={onClose} />;
  return (
    <FormDialog
      title="New inbound webhook"
      action="Create"
      busy={make.isPending}
      unavailable={name.trim() === '' ? 'Name it first' : secretFault(own)}
      error={make.error?.message}
      draft={draft}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <Segments
        label="Who calls"
        options={INBOUND_CHOICES.map((value) => ({ value, label: PROVIDER_NAMES[value] }))}
        value={provider}
        onChange={(next) => draft.change({ provider: next, connector: '' })}
      />
      <Field
        label="Name"
        data-autofocus
        maxLength={200}
        value={name}
        placeholder="Service desk"
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <label className="labelled">
        <span className="s med">Connector that it belongs to</span>
        <select className="select" value={connector} onChange={(event) => draft.change({ connector: event.currentTarget.value })}>
          <option value="">any of {PROVIDER_NAMES[provider]}</option>
          {connectors.map(({ id, name: words }) => (
            <option key={id} value={id}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <NoRestKey provider={provider} connector={connector || null} />
      <OwnSecret provider={provider} value={secret} onChange={setSecret} />
    </FormDialog>
  );
}
