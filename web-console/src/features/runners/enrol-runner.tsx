import { tell } from '../../api.ts';
import { Field } from '../../ui/controls/controls.tsx';
import { useDraft } from '../../ui/draft/use-draft.ts';
import { CreateTokenDialog, isWhole } from '../../ui/tokens/token-dialogs.tsx';
import { readLabels } from '../../ui/words/labels.ts';

export const ENROL_FORM = 'runners.enrol';

/** A token that enrols a runner, shown once with the commands to run on the other machine. */
export function EnrolRunner({ onClose }: { onClose: () => void }) {
  const draft = useDraft(ENROL_FORM, { name: '', site: '', labels: '', hours: '24' });
  const { name, site, labels, hours } = draft.value;
  const hoursValid = isWhole(hours, [1, 8784]);
  const create = async (): Promise<string> => {
    const made = await tell('runners.createToken', {
      expires_in_hours: Number(hours),
      labels: readLabels(labels),
      ...(name.trim() ? { name: name.trim() } : {}),
      ...(site.trim() ? { site: site.trim() } : {}),
    });
    return made.command;
  };
  return (
    <CreateTokenDialog
      title="Add a runner"
      action="Create token"
      missing={hoursValid ? undefined : 'Check the hours'}
      create={create}
      lists={[['runners.list'], ['runners.listTokens']]}
      draft={draft}
      shown={{
        title: 'Run these commands on the machine',
        prompt: true,
        words: 'It appears in the list once it is connected. The token is not shown again: only its hash is kept.',
      }}
      onClose={onClose}
    >
      <Field
        label="Name (optional)"
        data-autofocus
        maxLength={128}
        value={name}
        placeholder="Berlin"
        hint="Empty: the name of its host."
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <Field
        label="Site (optional)"
        maxLength={128}
        value={site}
        placeholder="Berlin"
        onChange={(event) => draft.change({ site: event.currentTarget.value })}
      />
      <Field
        label="Labels (optional)"
        value={labels}
        placeholder="region=eu, wired"
        hint="Tests choose runners by them."
        onChange={(event) => draft.change({ labels: event.currentTarget.value })}
      />
      <Field
        label="Token valid for"
        unit="hours"
        inputMode="numeric"
        value={hours}
        error={hoursValid ? undefined : '1 to 8784'}
        onChange={(event) => draft.change({ hours: event.currentTarget.value })}
      />
    </CreateTokenDialog>
  );
}
