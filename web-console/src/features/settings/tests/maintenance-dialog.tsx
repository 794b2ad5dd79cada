import type { MaintenanceWindow } from '@svc/contracts/tests/keeping';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, useId } from 'react';
import { tell } from '../../../api.ts';
import { Checkbox, Field, Segments } from '../../../ui/controls/controls.tsx';
import { FormDialog } from '../../../ui/dialogs/dialogs.tsx';
import { type Draft, useDraft } from '../../../ui/draft/use-draft.ts';
import { ClockField } from '../../../ui/moments/clock-field.tsx';
import { emptyForm, formOf, missingOf, toSpec, type WindowForm } from './maintenance-form.ts';
import { WEEKDAYS } from './maintenance-words.ts';

export const WINDOWS = ['tests.maintenance.list'];

interface DialogProps {
  window: MaintenanceWindow | undefined;
  tests: readonly { id: string; name: string }[] | undefined;
  onClose: () => void;
}

/** What is held back, and when: once, or each week by the clocks of a zone. */
export function WindowDialog({ window, tests, onClose }: DialogProps) {
  const queryClient = useQueryClient();
  const now = Date.now();
  const draft = useDraft(`settings.maintenance.${window?.id ?? 'new'}`, window ? formOf(window, now) : emptyForm(now));
  const save = useMutation({
    mutationFn: async () => {
      const spec = toSpec(draft.value);
      if (window) await tell('tests.maintenance.update', { ...spec, id: window.id });
      else await tell('tests.maintenance.create', spec);
    },
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries({ queryKey: WINDOWS });
      onClose();
    },
  });
  return (
    <FormDialog
      title={window ? `Change ${window.name}` : 'Add a maintenance window'}
      action={window ? 'Save' : 'Add window'}
      busy={save.isPending}
      unavailable={missingOf(draft.value)}
      error={save.error?.message}
      draft={draft}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <Field
        label="Name"
        data-autofocus
        maxLength={200}
        value={draft.value.name}
        placeholder="Patches of the shop"
        onChange={(event) => draft.change({ name: event.currentTarget.value })}
      />
      <ScopeFields draft={draft} tests={tests} />
      <TimeFields draft={draft} />
    </FormDialog>
  );
}

const bind = (draft: Draft<WindowForm>, key: 'target' | 'site' | 'from' | 'to' | 'hours' | 'zone') => ({
  value: draft.value[key],
  onChange: (event: ChangeEvent<HTMLInputElement>) => draft.change({ [key]: event.currentTarget.value }),
});

function ScopeFields({ draft, tests }: { draft: Draft<WindowForm>; tests: DialogProps['tests'] }) {
  const id = useId();
  const { scope, test } = draft.value;
  return (
    <>
      <Segments
        label="What is held back"
        options={[
          { value: 'target', label: 'A target' },
          { value: 'test', label: 'One test' },
          { value: 'site', label: 'A site' },
        ]}
        value={scope}
        onChange={(next) => draft.change({ scope: next })}
      />
      {scope === 'target' ? (
        <Field
          label="Target"
          placeholder="shop.example"
          hint="A host or URL: every test and signal of it."
          {...bind(draft, 'target')}
        />
      ) : null}
      {scope === 'site' ? <Field label="Site" placeholder="Berlin" {...bind(draft, 'site')} /> : null}
      {scope === 'test' ? (
        <div className="labelled">
          <label htmlFor={id}>Test</label>
          <select id={id} className="input" value={test} onChange={(event) => draft.change({ test: event.currentTarget.value })}>
            <option value="">Choose a test</option>
            {tests?.map(({ id: testId, name }) => (
              <option key={testId} value={testId}>
                {name}
              </option>
            ))}
          </select>
        </div>
      ) : null}
    </>
  );
}

function TimeFields({ draft }: { draft: Draft<WindowForm> }) {
  const { repeat, weekdays } = draft.value;
  return (
    <>
      <Segments
        label="How often"
        options={[
          { value: 'once', label: 'Once' },
          { value: 'weekly', label: 'Each week' },
        ]}
        value={repeat}
        onChange={(next) => draft.change({ repeat: next })}
      />
      {repeat === 'once' ? (
        <div className="formgrid">
          <Field label="From" type="datetime-local" {...bind(draft, 'from')} />
          <Field label="To" type="datetime-local" hint="In your own time zone." {...bind(draft, 'to')} />
        </div>
      ) : (
        <>
          <fieldset className="weekdays">
            <legend className="sr">Days on which it begins</legend>
            {WEEKDAYS.map((word, index) => (
              <Checkbox
                key={word}
                checked={weekdays.includes(index + 1)}
                label={word}
                onChange={(on) =>
                  draft.change({ weekdays: on ? [...weekdays, index + 1] : weekdays.filter((day) => day !== index + 1) })
                }
              />
            ))}
          </fieldset>
          <div className="formgrid">
            <ClockField label="Begins at" value={draft.value.start} onChange={(start) => draft.change({ start })} />
            <Field label="Lasts" unit="hours" inputMode="decimal" {...bind(draft, 'hours')} />
            <Field
              label="Time zone"
              placeholder="Europe/Lisbon"
              hint="Whose clocks these are, summer time included."
              {...bind(draft, 'zone')}
            />
          </div>
        </>
      )}
    </>
  );
}
