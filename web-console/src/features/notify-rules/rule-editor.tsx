import { useDebouncedValue } from '@mantine/hooks';
import type { Connector } from '@svc/contracts/notify/connector';
import type { Rule } from '@svc/contracts/notify/rule';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { ApiError, tell } from '../../api.ts';
import { Button, Checkbox, Field } from '../../ui/controls/controls.tsx';
import { DraftNote, UnsavedMark } from '../../ui/draft/draft-note.tsx';
import { type Draft, useDraft } from '../../ui/draft/use-draft.ts';
import { viewerZone } from '../../ui/moments/zone.ts';
import { rulesQuery } from '../../ui/notify/notify-queries.ts';
import { describeLeftOut, leftOutBy } from '../../ui/notify/rules-effect.ts';
import { RuleFields } from './rule-fields.tsx';
import { bodyOf, faultsFrom, faultsOf, formOf, newRule, type RuleFaults, type RuleForm } from './rule-form.ts';
import { RulePreviewPart } from './rule-preview.tsx';

interface EditorProps {
  /** The one that is changed; undefined: a new one. */
  rule: Rule | undefined;
  rules: readonly Rule[];
  connectors: readonly Connector[];
  onClose: () => void;
}

/** A typed rule is tried over the last incidents after this rest, milliseconds. */
const REST_MS = 400;

/** A rule in fields, and beside it which of the last incidents it would have sent. */
export function RuleEditor({ rule, rules, connectors, onClose }: EditorProps) {
  const zone = viewerZone();
  const draft = useDraft(`notify.rule.${rule?.id ?? 'new'}`, rule ? formOf(rule, zone) : newRule(zone));
  const form = draft.value;
  const queryClient = useQueryClient();
  const known = new Set(connectors.map(({ id }) => id));
  const save = useMutation({
    mutationFn: async (): Promise<Rule> => {
      const wish = { ...bodyOf(form), name: form.name.trim(), enabled: form.enabled };
      return rule ? await tell('notifyRules.change', { ...wish, id: rule.id }) : await tell('notifyRules.create', wish);
    },
    onSuccess: async () => {
      draft.clear();
      await queryClient.invalidateQueries({ queryKey: rulesQuery.queryKey });
      onClose();
    },
  });
  const faults = { ...faultsOf(form, known), ...(save.error instanceof ApiError ? faultsFrom(save.error.faults) : {}) };
  const own = faultsOf(form, known);
  const canTry = Object.keys(own).length === 0;
  const [tried] = useDebouncedValue(canTry ? JSON.stringify(bodyOf(form)) : undefined, REST_MS);
  // What opened it is gone or far away: whoever uses the keyboard goes on here.
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const change = (part: Partial<RuleForm>): void => {
    if (save.error) save.reset();
    draft.change(part);
  };
  return (
    <section className="card" aria-labelledby="rule-h">
      <header>
        <h2 id="rule-h">{rule ? `Change ${rule.name}` : 'New rule'}</h2>
      </header>
      <div className="nfr-editor">
        <form
          className="nfr-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (!save.isPending && !blockedBy(form, own)) save.mutate();
          }}
        >
          <DraftNote draft={draft} />
          <Field
            label="Name"
            ref={first}
            maxLength={200}
            value={form.name}
            placeholder="Nights and weekends"
            error={faults.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <RuleFields form={form} faults={faults} connectors={connectors} onChange={change} />
          <Checkbox checked={form.enabled} label="On: it decides from now on" onChange={(enabled) => change({ enabled })} />
          <Effect form={form} rule={rule} rules={rules} connectors={connectors} />
          <Foot draft={draft} save={save} blocked={blockedBy(form, own)} isNew={rule === undefined} onClose={onClose} />
        </form>
        <RulePreviewPart body={canTry ? tried : undefined} />
      </div>
    </section>
  );
}

const blockedBy = (form: RuleForm, faults: RuleFaults): string | undefined => {
  if (form.name.trim() === '') return 'Name it first';
  return Object.keys(faults).length > 0 ? 'Correct the marked fields first' : undefined;
};

interface FootProps {
  draft: Draft<RuleForm>;
  save: { isPending: boolean; error: Error | null };
  blocked: string | undefined;
  isNew: boolean;
  onClose: () => void;
}

function Foot({ draft, save, blocked, isNew, onClose }: FootProps) {
  return (
    <>
      {save.error ? (
        <p className="err" role="alert">
          {save.error.message}
        </p>
      ) : null}
      <div className="row">
        <Button look="primary" type="submit" busy={save.isPending} unavailable={blocked}>
          {isNew ? 'Create rule' : 'Save'}
        </Button>
        <Button
          onClick={() => {
            draft.discard();
            onClose();
          }}
        >
          Cancel
        </Button>
        <UnsavedMark draft={draft} />
      </div>
    </>
  );
}

/** Who else is told once this rule is as it is typed: the first that is on takes the default away from everybody. */
function Effect({ form, rule, rules, connectors }: Pick<EditorProps, 'rule' | 'rules' | 'connectors'> & { form: RuleForm }) {
  const others = rules.filter(({ id }) => id !== rule?.id);
  const isFirst = form.enabled && !others.some(({ enabled }) => enabled);
  const isLast = !form.enabled && rule?.enabled === true && !others.some(({ enabled }) => enabled);
  const leftOut = form.enabled ? describeLeftOut(leftOutBy([...others, { enabled: true, ...bodyOf(form) }], connectors)) : '';
  if (isLast)
    return <p className="note s">No other rule is on: without this one every connector is told of every incident, at once.</p>;
  if (!isFirst && leftOut === '') return null;
  return (
    <p className="note s">
      {isFirst ? 'It is the only rule that is on: what does not fit it reaches nobody.' : ''} {leftOut}
    </p>
  );
}
