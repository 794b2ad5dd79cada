import type { Connector, ProviderForm, Trial } from '@svc/contracts/notify/connector';
import { PROVIDERS, type ProviderKind } from '@svc/contracts/notify/kinds';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { tell } from '../../api.ts';
import { Checkbox, Field } from '../../ui/controls/controls.tsx';
import { FormDialog } from '../../ui/dialogs/dialogs.tsx';
import { useDraft } from '../../ui/draft/use-draft.ts';
import { connectorsQuery } from '../../ui/notify/notify-queries.ts';
import { PROVIDER_NAMES, ProviderMark } from '../../ui/notify/provider-mark.tsx';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { ConnectorFields, type Values } from './connector-fields.tsx';
import { faultsOf, missingOf, valuesOf } from './connector-values.ts';
import { isSlackHook } from './connector-words.ts';
import { TrialSteps } from './trial.tsx';
import { useForms } from './use-forms.ts';

export const CONNECTOR_FORM = 'notify.connector';

/** The credential is asked about first, without writing anything; what fails is added only where somebody insists. */
class CheckFailed extends Error {
  readonly trial: Trial;
  constructor(trial: Trial) {
    super('The check did not go through, so nothing was saved.');
    this.trial = trial;
  }
}

async function demandCheck(provider: ProviderKind, values: Record<string, string>): Promise<void> {
  const trial = await tell('notify.connectors.check', { provider, values });
  if (!trial.ok) throw new CheckFailed(trial);
}

const trialOf = (error: unknown): Trial | undefined => (error instanceof CheckFailed ? error.trial : undefined);

interface AddProps {
  /** With the connector that was added, if any. */
  onClose: (added?: Connector) => void;
}

interface Typed {
  provider: ProviderKind;
  name: string;
  values: Values;
}

const initial: Typed = { provider: 'pager_a', name: '', values: {} };

/** Adds a connector: the provider, then what this one needs. */
export function AddConnector({ onClose }: AddProps) {
  const forms = useForms();
  const draft = useDraft(CONNECTOR_FORM, initial);
  // Never kept as a draft.
  const [secrets, setSecrets] = useState<Values>({});
  const [insists, setInsists] = useState(false);
  const queryClient = useQueryClient();
  const { provider, name, values: typed } = draft.value;
  const form = forms.data?.items.find((one) => one.provider === provider);
  const values = form ? valuesOf(form, typed, secrets) : {};
  const add = useMutation({
    mutationFn: async (): Promise<Connector> => {
      if (!insists) await demandCheck(provider, values);
      return await tell('notify.connectors.create', { provider, name: name.trim() || PROVIDER_NAMES[provider], values });
    },
    onSuccess: async (added) => {
      draft.clear();
      await queryClient.invalidateQueries({ queryKey: connectorsQuery.queryKey });
      onClose(added);
    },
  });
  const edit = (part: Partial<Typed>): void => {
    draft.change(part);
    setInsists(false);
    add.reset();
  };
  const { faults, message } = form ? faultsOf(form, add.error) : { faults: {}, message: add.error?.message };
  const missing = form ? missingOf(form, values) : undefined;
  return (
    <FormDialog
      title="Add a connector"
      action={insists ? 'Add unchecked' : 'Check and add'}
      busy={add.isPending}
      unavailable={missing ? `${missing} is missing` : form ? undefined : 'The forms are loading'}
      error={message}
      draft={draft}
      onSubmit={() => add.mutate()}
      onClose={() => onClose()}
    >
      <Providers chosen={provider} onChoose={(next) => edit({ provider: next })} />
      <Field
        label="Name (optional)"
        maxLength={200}
        value={name}
        placeholder={PROVIDER_NAMES[provider]}
        hint="As rules and incidents name it, such as Network on call."
        onChange={(event) => edit({ name: event.currentTarget.value })}
      />
      {form ? (
        <ConnectorFields
          form={form}
          values={{ ...typed, ...secrets }}
          faults={faults}
          onChange={(field, value) => {
            if (form.fields.find((one) => one.name === field)?.is_secret) {
              setSecrets({ ...secrets, [field]: value });
              edit({});
            } else edit({ values: { ...typed, [field]: value } });
          }}
        />
      ) : forms.isError ? (
        <Failure error={forms.error} retry={() => void forms.refetch()} />
      ) : (
        <Ghost width={320} says="Form, loading" />
      )}
      <AfterCheck form={form} trial={trialOf(add.error)} insists={insists} onInsist={setInsists} />
    </FormDialog>
  );
}

/** Every provider in one view: a list that opens would hide that there are eight. */
function Providers({ chosen, onChoose }: { chosen: ProviderKind; onChoose: (provider: ProviderKind) => void }) {
  return (
    <fieldset className="nfy-providers">
      <legend className="s med">Provider</legend>
      {PROVIDERS.map((provider) => (
        <label key={provider}>
          <input
            type="radio"
            name="provider"
            checked={provider === chosen}
            data-autofocus={provider === chosen ? true : undefined}
            onChange={() => onChoose(provider)}
          />
          <ProviderMark provider={provider} size={14} />
          <span>{PROVIDER_NAMES[provider]}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** What takes whatever comes, and does something with it: nothing can be asked there. */
const CANNOT_BE_ASKED: ReadonlySet<ProviderKind> = new Set(['chat_b', 'webhook']);

interface AfterProps {
  form: ProviderForm | undefined;
  trial: Trial | undefined;
  insists: boolean;
  onInsist: (insists: boolean) => void;
}

/** A form may be longer than the window: what became of its check is brought into view, read aloud, and a step before what can be done about it. */
function AfterCheck({ form, trial, insists, onInsist }: AfterProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!trial) return;
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: 'start' });
  }, [trial]);
  return (
    <>
      <p className="s soft">
        {form && CANNOT_BE_ASKED.has(form.provider)
          ? 'Only whether it can be reached is checked first: asking more would post there. Send a test afterwards.'
          : 'The credential is checked first; nothing is written there. Send a test afterwards.'}{' '}
        {form?.test_warning ? <b className="med">{form.test_warning}</b> : null}
      </p>
      {trial ? (
        <div ref={box} className="nfy-failed" role="alert" tabIndex={-1}>
          <TrialSteps steps={trial.steps} />
          <Checkbox checked={insists} label="Save it all the same" onChange={onInsist} />
        </div>
      ) : null}
    </>
  );
}

interface ChangeProps {
  connector: Connector;
  form: ProviderForm;
  onClose: () => void;
}

/** Other settings, another credential or both; a secret that is left empty stays. */
export function ChangeConnector({ connector, form, onClose }: ChangeProps) {
  const draft = useDraft(`notify.connector.${connector.id}`, { ...connector.settings });
  const [secrets, setSecrets] = useState<Values>({});
  const [insists, setInsists] = useState(false);
  const queryClient = useQueryClient();
  const values = valuesOf(form, draft.value, secrets);
  // What is sealed cannot be checked from here: only a form that holds every secret again can.
  const isWhole = connector.secrets.every((name) => values[name] !== undefined);
  const save = useMutation({
    mutationFn: async () => {
      if (isWhole && !insists) await demandCheck(connector.provider, values);
      await tell('notify.connectors.change', { id: connector.id, values });
    },
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries({ queryKey: connectorsQuery.queryKey });
      onClose();
    },
  });
  const { faults, message } = faultsOf(form, save.error);
  const missing = missingOf(form, values, connector.secrets);
  return (
    <FormDialog
      title={`Settings and credential of ${connector.name}`}
      action={isWhole && !insists ? 'Check and save' : 'Save'}
      busy={save.isPending}
      unavailable={missing ? `${missing} is missing` : undefined}
      error={message}
      draft={draft}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <ConnectorFields
        form={form}
        values={{ ...draft.value, ...secrets }}
        kept={connector.secrets}
        isHook={isSlackHook(connector)}
        faults={faults}
        onChange={(field, value) => {
          if (form.fields.find((one) => one.name === field)?.is_secret) setSecrets({ ...secrets, [field]: value });
          else draft.change({ [field]: value });
          setInsists(false);
          save.reset();
        }}
      />
      <p className="s soft">Messages that wait go by the new settings; one that is on its way just now goes by the former.</p>
      <AfterCheck form={form} trial={trialOf(save.error)} insists={insists} onInsist={setInsists} />
    </FormDialog>
  );
}
