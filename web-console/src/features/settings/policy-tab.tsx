import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { ApiError, ask, tell } from '../../api.ts';
import type { PolicyView } from '../../api-types.ts';
import { Button, Checkbox, Field } from '../../ui/controls/controls.tsx';
import { DraftNote, UnsavedMark } from '../../ui/draft/draft-note.tsx';
import { useDraft } from '../../ui/draft/use-draft.ts';
import { Time } from '../../ui/moments/time.tsx';
import { ROLE_NAMES } from '../../ui/permission/role-words.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { PersonCard } from './person-card.tsx';
import {
  draftFaults,
  draftOf,
  INTERVALS,
  type IntervalKey,
  numberFault,
  type PolicyDraft,
  policyOf,
  THRESHOLDS,
  targetFaults,
  targetsFault,
} from './policy-draft.ts';

const KEY = ['fleet.policy.get'];

/** The measuring policy: what is contacted, how often, what may be collected, and from where on something counts as slow. */
export function PolicyTab() {
  const view = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ask('fleet.policy.get', {}, signal) });
  if (view.isError && !view.data) return <Failure error={view.error} retry={() => view.refetch()} />;
  if (!view.data) return <Ghost width={480} />;
  return <PolicyForm key={view.data.policy.version} view={view.data} />;
}

function PolicyForm({ view }: { view: PolicyView }) {
  const queryClient = useQueryClient();
  const may = useMay('settings.write');
  const kept = useDraft('settings.policy', draftOf(view.policy));
  const draft = kept.value;
  const faults = draftFaults(draft);
  const same = !kept.isDirty;
  const save = useMutation({
    mutationFn: () => tell('fleet.policy.set', { expected_version: view.policy.version, policy: policyOf(draft) }),
    onSuccess: (next) => {
      kept.clear();
      queryClient.setQueryData(KEY, next);
      void queryClient.invalidateQueries({ queryKey: ['fleet.disclosure'] });
    },
  });
  const setDraft = (next: PolicyDraft): void => {
    kept.change(next);
    // What the server found was about the text before.
    if (save.isError) save.reset();
  };
  let blocked: string | undefined;
  if (faults.length > 0) blocked = 'Correct the marked fields first';
  else if (same) blocked = 'Nothing changed yet';
  return (
    <form
      className="page"
      onSubmit={(event) => {
        event.preventDefault();
        if (may && !blocked) save.mutate();
      }}
    >
      {may ? (
        <DraftNote draft={kept} />
      ) : (
        <p className="note">Your role can read these settings. Someone with the role {ROLE_NAMES.admin} can change them.</p>
      )}
      <fieldset className="policy" disabled={!may}>
        <Targets draft={draft} onChange={setDraft} refused={targetFaults(save.error)} />
        <Numbers draft={draft} onChange={setDraft} />
        <CollectCard draft={draft} onChange={setDraft} />
        <PersonCard draft={draft} onChange={setDraft} />
      </fieldset>
      <div className="row savebar">
        {may ? (
          <>
            <Button look="primary" type="submit" busy={save.isPending} unavailable={blocked}>
              Save and send to devices
            </Button>
            <Button look="plain" unavailable={same ? 'Nothing changed yet' : undefined} onClick={kept.discard}>
              Undo changes
            </Button>
            <UnsavedMark draft={kept} />
          </>
        ) : null}
        <span className="s mute">
          Version {view.policy.version}
          {view.changed_at ? (
            <>
              , changed <Time at={view.changed_at} />
            </>
          ) : null}
        </span>
        {save.error ? <SaveError error={save.error} /> : null}
      </div>
    </form>
  );
}

function SaveError({ error }: { error: Error }) {
  const queryClient = useQueryClient();
  const conflict = error instanceof ApiError && error.code === 'conflict';
  const isMarked = Object.keys(targetFaults(error)).length > 0;
  const reason = isMarked ? 'Not saved: correct the marked targets.' : error.message;
  return (
    <span className="err" role="alert">
      {conflict ? 'Somebody else changed it meanwhile.' : reason}{' '}
      {conflict ? (
        <button type="button" className="linkish" onClick={() => queryClient.invalidateQueries({ queryKey: KEY })}>
          Load their version
        </button>
      ) : null}
    </span>
  );
}

interface PartProps {
  draft: PolicyDraft;
  onChange: (draft: PolicyDraft) => void;
}

interface TargetsProps extends PartProps {
  /** What the server found in the lists that were sent. */
  refused: ReturnType<typeof targetFaults>;
}

function Targets({ draft, onChange, refused }: TargetsProps) {
  return (
    <section className="card" aria-labelledby="targets-h">
      <header>
        <h2 id="targets-h">What is contacted</h2>
        <span className="s mute">one per line; nothing outside this list is contacted</span>
      </header>
      <div className="body formgrid wide">
        <TargetList
          label="Hosts to trace (at most 8)"
          value={draft.traceTargets}
          fault={targetsFault(draft.traceTargets, 'trace') ?? refused.traceTargets}
          placeholder="crm.suite.example"
          onChange={(traceTargets) => onChange({ ...draft, traceTargets })}
        />
        <TargetList
          label="Addresses to connect to (at most 32)"
          value={draft.sessionTargets}
          fault={targetsFault(draft.sessionTargets, 'session') ?? refused.sessionTargets}
          placeholder="https://crm.suite.example/"
          onChange={(sessionTargets) => onChange({ ...draft, sessionTargets })}
        />
      </div>
    </section>
  );
}

interface TargetListProps {
  label: string;
  value: string;
  fault: string | undefined;
  placeholder: string;
  onChange: (value: string) => void;
}

function TargetList({ label, value, fault, placeholder, onChange }: TargetListProps) {
  const id = useId();
  return (
    <div className="labelled">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="input mono"
        rows={5}
        spellCheck={false}
        placeholder={placeholder}
        value={value}
        aria-invalid={fault ? true : undefined}
        aria-describedby={`${id}-h`}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <p id={`${id}-h`} className="s err">
        {fault}
      </p>
    </div>
  );
}

function Numbers({ draft, onChange }: PartProps) {
  return (
    <div className="two-even">
      <section className="card" aria-labelledby="often-h">
        <header>
          <h2 id="often-h">How often</h2>
        </header>
        <div className="body formgrid">
          {(Object.keys(INTERVALS) as IntervalKey[]).map((key) => (
            <Field
              key={key}
              label={INTERVALS[key].label}
              unit={INTERVALS[key].unit}
              inputMode="numeric"
              value={draft.intervals[key]}
              error={numberFault(draft.intervals[key], INTERVALS[key])}
              onChange={(event) => onChange({ ...draft, intervals: { ...draft.intervals, [key]: event.currentTarget.value } })}
            />
          ))}
        </div>
      </section>
      <section className="card" aria-labelledby="limits-h">
        <header>
          <h2 id="limits-h">What counts as slow</h2>
          <span className="s mute">the limits behind every verdict</span>
        </header>
        <div className="body formgrid">
          {(Object.keys(THRESHOLDS) as (keyof typeof THRESHOLDS)[]).map((key) => (
            <Field
              key={key}
              label={THRESHOLDS[key].label}
              unit={THRESHOLDS[key].unit}
              inputMode="decimal"
              value={draft.thresholds[key]}
              error={numberFault(draft.thresholds[key], THRESHOLDS[key])}
              onChange={(event) => onChange({ ...draft, thresholds: { ...draft.thresholds, [key]: event.currentTarget.value } })}
            />
          ))}
        </div>
      </section>
    </div>
  );
}

const COLLECT = {
  ssid: { label: 'Network name (SSID)', hint: 'Shows which Wi-Fi is weak. The access point’s own address is never collected.' },
  gatewayIp: { label: 'Gateway address', hint: 'Shows which devices share a gateway.' },
  deviceName: { label: 'Device name', hint: 'Without it devices show as a short id.' },
  hostFacts: { label: 'Operating system, version and model', hint: 'Shows whether an operating system is involved.' },
  publicHops: { label: 'Addresses of public hops', hint: 'Off by default: they reveal where a device is.' },
} as const;

function CollectCard({ draft, onChange }: PartProps) {
  return (
    <section className="card" aria-labelledby="collect-h">
      <header>
        <h2 id="collect-h">What may be collected</h2>
        <span className="s mute">a device’s own stricter choice always wins</span>
      </header>
      <div className="body">
        {(Object.keys(COLLECT) as (keyof typeof COLLECT)[]).map((key) => (
          <Checkbox
            key={key}
            checked={draft.collect[key]}
            onChange={(on) => onChange({ ...draft, collect: { ...draft.collect, [key]: on } })}
            label={
              <span>
                <b className="med">{COLLECT[key].label}</b> <span className="mute">{COLLECT[key].hint}</span>
              </span>
            }
          />
        ))}
      </div>
    </section>
  );
}
