import './drawer.css';
import { checkTarget } from '@svc/contracts/tests/target';
import type { TEST_TYPES } from '@svc/contracts/tests/test-types';
import type { TestRow } from '@svc/contracts/tests/views';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tell } from '../../../api.ts';
import { Button, Checkbox, Field, IconButton, Segments } from '../../../ui/controls/controls.tsx';
import { DraftNote, UnsavedMark } from '../../../ui/draft/draft-note.tsx';
import { useDraft } from '../../../ui/draft/use-draft.ts';
import { refusalWords } from '../../../ui/permission/permission-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import type { DrawerMode } from '../drawer-search.ts';
import { CHANGED } from '../test-queries.ts';
import { useRun } from '../use-run.ts';
import { AssertionsField } from './assertions-field.tsx';
import { DescribeCard } from './describe-card.tsx';
import { DryRunCard } from './dry-run-card.tsx';
import { type Faults, faultAt, otherFaults, readFaults } from './faults.ts';
import { GROUPS } from './field-list.ts';
import { fitTarget } from './infer-type.ts';
import { NameField, useNameOwner } from './name-field.tsx';
import { ParamField } from './param-field.tsx';
import type { Params } from './params.ts';
import { formOfProposal } from './proposal-words.ts';
import { RunnerField } from './runner-field.tsx';
import { StepsField } from './steps-field.tsx';
import {
  missingOf,
  paramsOf,
  type TestForm,
  toSpec,
  triedOf,
  usualTimeout,
  withParams,
  withTarget,
  withType,
} from './test-form.ts';
import { useTaken } from './use-taken.ts';

const TYPES = ['https', 'http', 'browser', 'dns', 'icmp', 'tcp', 'udp'] as const satisfies readonly (typeof TEST_TYPES)[number][];

const WORDS = {
  new: { title: 'New test', note: 'nothing is created until you say so', action: 'Create test' },
  describe: { title: 'New test', note: 'nothing is created until you say so', action: 'Create test' },
  clone: { title: 'Clone test', note: 'nothing is created until you say so', action: 'Create test' },
  edit: { title: 'Edit test', note: 'it runs as before until you save', action: 'Save' },
} as const;

/** Fields of the form outside of the parameters, whose faults stand there. */
const SHOWN = [
  'target',
  'name',
  'interval_seconds',
  'timeout_seconds',
  'runners',
  'fail_when',
  'failing_after',
  'site',
  'labels',
];

export interface TestDrawerProps {
  mode: DrawerMode;
  initial: TestForm;
  /** The test that is edited, as it was when editing began. */
  edited?: { id: string; version: number } | undefined;
  onSaved: (row: TestRow) => void;
  onClose: () => void;
}

/** Makes or changes a test: the target says the type, a dry run says what comes of it, and only then it is saved. */
export function TestDrawer({ mode, initial, edited, onSaved, onClose }: TestDrawerProps) {
  const words = WORDS[mode];
  const draft = useDraft(edited ? `tests.edit.${edited.id}` : `tests.${mode}`, initial);
  const form = draft.value;
  const mayWrite = useMay('test.write');
  const named = useNameOwner(form.name, edited?.id);
  const taken = useTaken((proposal) => draft.change(formOfProposal(proposal)));
  const save = useSave(edited, (row) => {
    draft.clear();
    if (!taken.takeNext()) onSaved(row);
  });
  // The one that bears the name while it is saved is the very one that is saved.
  const owner = save.isPending ? undefined : named;
  const [tried, setTried] = useState<string>();
  const run = useRun(() => {
    setTried(triedOf(form));
    return tell('tests.dryRun', { test: toSpec(form) });
  });
  const faults = readFaults(save.error ?? run.error);
  const targetFault = form.target.trim() === '' ? undefined : checkTarget(form.type, fitTarget(form.type, form.target));
  const missing = missingOf(form) ?? (targetFault ? 'Check the target' : undefined);
  const denied = mayWrite ? undefined : refusalWords('test.write');
  const reason = denied ?? (owner ? 'Name is taken' : missing);
  const close = (): void => {
    draft.discard();
    onClose();
  };
  return (
    <aside
      className="drawer"
      aria-label={words.title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason && !save.isPending) save.mutate(form);
        }}
        noValidate
      >
        <header>
          <h2>{words.title}</h2>
          <span className="s mute grow">{words.note}</span>
          <IconButton icon="cross" label="Close" onClick={close} />
        </header>
        <div className="drawerbody">
          <DraftNote draft={draft} />
          {mode === 'describe' ? <DescribeCard unavailable={denied} taken={taken} /> : null}
          <TargetFields form={form} isFirst={mode !== 'describe'} faults={faults} fault={targetFault} onChange={draft.change} />
          <div className="drawerpair">
            <NameField
              name={form.name}
              owner={owner}
              fault={faultAt(faults, 'name')}
              onChange={(name) => draft.change({ name, isNamed: name !== '' })}
            />
            <Field
              label="Every"
              value={form.every}
              error={faultAt(faults, 'interval_seconds')}
              hint={`1 s to 24 h, gives up after ${form.timeout.trim() || usualTimeout(form.type)}`}
              onChange={(event) => draft.change({ every: event.currentTarget.value })}
            />
          </div>
          <RunnerField form={form} faults={faults} onChange={draft.change} />
          <ParamFields key={form.type} form={form} faults={faults} onChange={draft.change} />
          <MoreFields form={form} faults={faults} onChange={draft.change} />
          <DryRunCard
            run={run}
            type={form.type}
            isOld={tried !== undefined && tried !== triedOf(form)}
            unavailable={denied ?? missing}
          />
        </div>
        <footer>
          {save.error ? (
            <p className="s err" role="alert">
              {saveWords(save.error, faults)}
            </p>
          ) : null}
          <div className="row">
            <Button look="primary" type="submit" busy={save.isPending} unavailable={reason}>
              {words.action}
            </Button>
            <span className="s mute grow">{reason ?? <UnsavedMark draft={draft} />}</span>
            <Button look="plain" onClick={close}>
              Cancel <kbd>Esc</kbd>
            </Button>
          </div>
        </footer>
      </form>
    </aside>
  );
}

function useSave(edited: TestDrawerProps['edited'], onSaved: (row: TestRow) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (form: TestForm) =>
      edited ? tell('tests.update', { ...edited, test: toSpec(form) }) : tell('tests.create', { test: toSpec(form) }),
    onSuccess: async (row) => {
      const renewed = Promise.all(CHANGED.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      // An edited one is shown behind the form, a new one has a page of its own, which reads it.
      if (edited) await renewed;
      onSaved(row);
    },
  });
}

/** Where a field shows the fault, the line at the end only says that there is one. */
function saveWords(error: Error, faults: Faults): string {
  if (faults.size === 0) return error.message;
  const others = otherFaults(faults, [...SHOWN, 'params']);
  return others.length > 0 ? others.join(' ') : 'Not saved: see the fields above.';
}

interface PartProps {
  form: TestForm;
  faults: Faults;
  onChange: (part: Partial<TestForm>) => void;
}

/** `isFirst`: whoever opens the drawer begins here. */
function TargetFields({ form, isFirst, faults, fault, onChange }: PartProps & { isFirst: boolean; fault: string | undefined }) {
  const [left, setLeft] = useState(false);
  return (
    <>
      <Field
        label="Target"
        autoFocus={isFirst}
        spellCheck={false}
        autoComplete="off"
        maxLength={2048}
        placeholder="https://shop.example/health, mail.example:465 or 10.0.0.1"
        value={form.target}
        error={(left ? fault : undefined) ?? faultAt(faults, 'target')}
        hint="A URL, a host or an address: the type follows from it."
        onBlur={() => {
          setLeft(true);
          // What was typed without its scheme stands as it is sent.
          const fitted = fitTarget(form.type, form.target);
          if (fitted !== form.target) onChange({ target: fitted });
        }}
        onChange={(event) => onChange(withTarget(form, event.currentTarget.value))}
      />
      <div className="drawerpart">
        <span className="drawerlabel" aria-hidden="true">
          Type
        </span>
        <Segments
          label="Type"
          options={TYPES.map((value) => ({ value, label: value }))}
          value={form.type}
          onChange={(type) => onChange(withType(form, type))}
        />
      </div>
    </>
  );
}

/** What the type takes: steps, assertions, and the rest folded away. */
function ParamFields({ form, faults, onChange }: PartProps) {
  const params = paramsOf(form);
  const write = (next: Params): void => onChange(withParams(form, next));
  return (
    <>
      {form.type === 'browser' ? <StepsField params={params} faults={faults} onChange={write} /> : null}
      <AssertionsField type={form.type} params={params} faults={faults} onChange={write} />
      {GROUPS[form.type].map(({ title, fields }) => (
        <details
          key={title}
          className="drawermore"
          open={fields.some(({ path }) => faultAt(faults, `params.${path}`) !== undefined) || undefined}
        >
          <summary>{title}</summary>
          <div className="drawerpart">
            {fields.map((field) => (
              <ParamField key={field.path} field={field} params={params} faults={faults} onChange={write} />
            ))}
          </div>
        </details>
      ))}
    </>
  );
}

const MORE = ['timeout_seconds', 'fail_when', 'failing_after', 'site', 'labels'] as const;

function MoreFields({ form, faults, onChange }: PartProps) {
  const text = (key: 'timeout' | 'failWhen' | 'failingAfter' | 'site' | 'labels', path: (typeof MORE)[number]) => ({
    value: form[key],
    error: faultAt(faults, path),
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange({ [key]: event.currentTarget.value }),
  });
  return (
    <details className="drawermore" open={MORE.some((path) => faultAt(faults, path) !== undefined) || undefined}>
      <summary>When it counts as failing, labels</summary>
      <div className="drawerpart">
        <div className="drawerpair">
          <Field label="Gives up after" placeholder={usualTimeout(form.type)} {...text('timeout', 'timeout_seconds')} />
          <Field label="Failing runs in a row" placeholder="the tenant’s" {...text('failingAfter', 'failing_after')} />
          <Field label="Runners that must fail" inputMode="numeric" {...text('failWhen', 'fail_when')} />
          <Field label="Site" placeholder="Berlin" {...text('site', 'site')} />
        </div>
        <Field
          label="Labels"
          placeholder="team=shop, critical"
          hint="Keys, or key=value, with commas."
          {...text('labels', 'labels')}
        />
        <Checkbox checked={form.isEnabled} label="Runs once it is saved" onChange={(isEnabled) => onChange({ isEnabled })} />
      </div>
    </details>
  );
}
