import './first-run.css';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, tell } from '../../../../api.ts';
import type { FirstRun, PickListEntry } from '../../../../api-types.ts';
import { meQuery, POLL_MS, summaryQuery } from '../../../../queries.ts';
import { Button, Checkbox, IconButton } from '../../../../ui/controls/controls.tsx';
import { Icon } from '../../../../ui/controls/icons.tsx';
import { DraftNote } from '../../../../ui/draft/draft-note.tsx';
import { useDraft } from '../../../../ui/draft/use-draft.ts';
import { useMay } from '../../../../ui/permission/use-may.ts';
import { Ghost } from '../../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../../ui/placeholders/failure.tsx';
import { countJudged } from '../fleet-sentence.ts';
import { EnrolPanel } from './enrol-panel.tsx';
import { putOff } from './first-run-choice.ts';
import { parseOwnTarget } from './own-target.ts';
import { WaitingCard } from './waiting-card.tsx';

type Choice = Pick<PickListEntry, 'kind' | 'target'>;
const keyOf = (choice: Choice): string => `${choice.kind} ${choice.target}`;

/** A target that somebody entered, as a row of the list. */
const ownEntry = ({ kind, target }: Choice): PickListEntry => ({
  ...{ id: target, label: 'Your own', operator: '', kind, target },
  why: 'added by you',
});

/** What the policy traces now. */
const tracedNow = (firstRun: FirstRun): Choice[] => [
  ...firstRun.trace_targets.map((target): Choice => ({ kind: 'trace', target })),
  ...firstRun.session_targets.map((target): Choice => ({ kind: 'session', target })),
];

/** What the policy traces beyond the offered list: entered here or in the settings earlier. */
export function listOwnTargets(firstRun: FirstRun): PickListEntry[] {
  const offered = new Set(firstRun.pick_list.map(keyOf));
  return tracedNow(firstRun)
    .filter((choice) => !offered.has(keyOf(choice)))
    .map(ownEntry);
}

/** Writes the chosen targets into the policy; everything else of it stays as it is. */
async function savePolicy(choices: readonly Choice[]): Promise<void> {
  const { policy } = await ask('fleet.policy.get', {});
  const { version, ...rest } = policy;
  const of = (kind: Choice['kind']): string[] => choices.filter((choice) => choice.kind === kind).map((choice) => choice.target);
  await tell('fleet.policy.set', {
    expected_version: version,
    policy: { ...rest, traceTargets: of('trace'), sessionTargets: of('session') },
  });
}

/** After the first sign-in: what to trace, chosen by a click each; nothing outside is contacted before. */
export function FirstRunPage() {
  const me = useQuery(meQuery).data;
  const firstRun = useQuery({
    queryKey: ['fleet.firstRun'],
    queryFn: ({ signal }) => ask('fleet.firstRun', {}, signal),
    refetchInterval: POLL_MS / 4,
  });
  const summary = useQuery({
    ...summaryQuery,
    refetchInterval: POLL_MS / 4,
    enabled: useMay('agent.read'),
  });
  if (firstRun.isError && !firstRun.data) return <Failure error={firstRun.error} retry={() => firstRun.refetch()} />;
  if (!firstRun.data || !me) return <Ghost width={480} />;
  return (
    <Steps
      firstRun={firstRun.data}
      tenant={me.tenant.id}
      who={me.account.name ?? me.account.email ?? 'You'}
      judged={summary.data ? countJudged(summary.data) : 0}
    />
  );
}

interface StepsProps {
  firstRun: FirstRun;
  tenant: string;
  who: string;
  /** Devices with a verdict. */
  judged: number;
}

function Steps({ firstRun, tenant, who, judged }: StepsProps) {
  const enrolled = firstRun.devices > 0;
  const left = [firstRun.chosen ? '' : 'choose what to trace', enrolled ? '' : 'enrol a device'].filter((word) => word !== '');
  const count = { 0: 'Nothing left', 1: 'One step left', 2: 'Two steps left' }[left.length];
  return (
    <div className="wrap">
      <header className="eh">
        <h1>
          {count}: {left.join(', then ') || (judged > 0 ? 'the fleet is live' : 'waiting for the first verdict')}.
        </h1>
        <p className="soft">
          {firstRun.chosen
            ? 'Only what is chosen here is contacted. Settings changes it at any time.'
            : 'Nothing outside this server has been contacted so far. That starts when you choose what to trace.'}
        </p>
      </header>
      <div className="grid2">
        <ol className="steps">
          <li className="done">
            <span className="sn">
              <Icon name="check" size={14} />
            </span>
            <div className="grow row">
              <h2>Administrator</h2>
              <span className="soft">{who}, signed in.</span>
            </div>
          </li>
          <PickStep firstRun={firstRun} tenant={tenant} />
          <li className={enrolled ? 'done' : 'wait'}>
            <span className="sn">{enrolled ? <Icon name="check" size={14} /> : '3'}</span>
            <div className="grow">
              <h2>{enrolled ? 'Enrol another device' : 'Enrol the first device'}</h2>
              {enrolled ? (
                <p className="soft">{firstRun.devices === 1 ? 'One device is' : `${firstRun.devices} devices are`} enrolled.</p>
              ) : null}
              <EnrolPanel />
            </div>
          </li>
        </ol>
        <WaitingCard devices={firstRun.devices} reporting={firstRun.devices_reporting} judged={judged} />
      </div>
    </div>
  );
}

function PickStep({ firstRun, tenant }: Pick<StepsProps, 'firstRun' | 'tenant'>) {
  const draft = useDraft<{ own: PickListEntry[]; choices: Choice[]; typed: string }>('fleet.first-run', {
    own: listOwnTargets(firstRun),
    choices: tracedNow(firstRun),
    typed: '',
  });
  const { own } = draft.value;
  const chosen = new Map(draft.value.choices.map((choice) => [keyOf(choice), choice]));
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const save = useMutation({
    mutationFn: (choices: readonly Choice[]) => savePolicy(choices),
    onSuccess: async () => {
      draft.clear();
      // The fleet page must not read from its cache that nothing was chosen, and send the reader back here.
      queryClient.removeQueries({ queryKey: ['fleet.firstRun', 'once'] });
      await queryClient.invalidateQueries();
      await navigate({ to: '/fleet' });
    },
  });
  const toggle = (choice: Choice, on: boolean): void => {
    const next = new Map(chosen);
    if (on) next.set(keyOf(choice), { kind: choice.kind, target: choice.target });
    else next.delete(keyOf(choice));
    draft.change({ choices: [...next.values()] });
  };
  const skip = (): void => {
    putOff(tenant);
    save.mutate([]);
  };
  return (
    <li className="now">
      <span className="sn">2</span>
      <div className="grow">
        <h2>Choose what to trace</h2>
        <p className="soft">Each device opens one cold connection to each address, or traces the way there, every 5 minutes.</p>
        <DraftNote draft={draft} />
        <ul className="pick">
          {firstRun.pick_list.map((entry) => (
            <TargetRow key={keyOf(entry)} entry={entry} checked={chosen.has(keyOf(entry))} onToggle={toggle} />
          ))}
          {own.map((entry) => (
            <TargetRow
              key={keyOf(entry)}
              entry={entry}
              checked={chosen.has(keyOf(entry))}
              onToggle={toggle}
              onRemove={() => {
                draft.change({ own: own.filter((item) => keyOf(item) !== keyOf(entry)) });
                toggle(entry, false);
              }}
            />
          ))}
          <AddOwn
            typed={draft.value.typed}
            onType={(typed) => draft.change({ typed })}
            onAdd={(entry) => {
              draft.change({ typed: '', own: [...own.filter((item) => keyOf(item) !== keyOf(entry)), entry] });
              toggle(entry, true);
            }}
          />
        </ul>
        <div className="row">
          <Button
            look="primary"
            busy={save.isPending}
            unavailable={chosen.size === 0 ? 'Choose at least one, or take Later' : undefined}
            onClick={() => save.mutate([...chosen.values()])}
          >
            {chosen.size === 0 ? 'Trace these' : `Trace ${chosen.size === 1 ? 'this one' : `these ${chosen.size}`}`}
          </Button>
          <Button look="plain" onClick={skip}>
            Later: Wi-Fi and gateway only
          </Button>
        </div>
        {save.error ? (
          <p className="err" role="alert">
            {save.error.message}
          </p>
        ) : null}
      </div>
    </li>
  );
}

interface TargetRowProps {
  entry: PickListEntry;
  checked: boolean;
  onToggle: (choice: Choice, on: boolean) => void;
  /** For what somebody entered. */
  onRemove?: () => void;
}

function TargetRow({ entry, checked, onToggle, onRemove }: TargetRowProps) {
  return (
    <li>
      <Checkbox
        checked={checked}
        onChange={(on) => onToggle(entry, on)}
        label={
          <span className="what">
            <b>{entry.label}</b>
            <span className="mono">{entry.target}</span>
            <span className="mute s">{entry.kind === 'trace' ? 'path' : 'connection'}</span>
            <span className="mute s why">{entry.why}</span>
          </span>
        }
      />
      {onRemove ? <IconButton icon="cross" label={`Remove ${entry.target}`} onClick={onRemove} /> : null}
    </li>
  );
}

interface AddProps {
  typed: string;
  onType: (typed: string) => void;
  onAdd: (entry: PickListEntry) => void;
}

function AddOwn({ typed, onType, onAdd }: AddProps) {
  const [fault, setFault] = useState<string>();
  return (
    <li>
      <form
        className="row grow add"
        onSubmit={(event) => {
          event.preventDefault();
          const parsed = parseOwnTarget(typed);
          if ('fault' in parsed) return setFault(parsed.fault);
          setFault(undefined);
          onAdd(ownEntry(parsed));
        }}
      >
        <Icon name="plus" size={14} />
        <span className="grow">
          <input
            className="input"
            aria-label="A host to trace, or an https address to connect to"
            aria-invalid={fault ? true : undefined}
            aria-describedby="own-fault"
            placeholder="https://intranet.example or a host"
            value={typed}
            maxLength={2000}
            onChange={(event) => onType(event.currentTarget.value)}
          />
          <span id="own-fault" className="err s">
            {fault ?? ''}
          </span>
        </span>
        <Button type="submit">Add</Button>
      </form>
    </li>
  );
}
