import type { TestSettings } from '@svc/contracts/tests/keeping';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ask, tell } from '../../../api.ts';
import { Button, Field } from '../../../ui/controls/controls.tsx';
import { DraftNote, UnsavedMark } from '../../../ui/draft/draft-note.tsx';
import { useDraft } from '../../../ui/draft/use-draft.ts';
import { ROLE_NAMES } from '../../../ui/permission/role-words.ts';
import { useMay } from '../../../ui/permission/use-may.ts';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../../ui/placeholders/failure.tsx';

const KEY = ['tests.settings.get'];

interface Threshold {
  key: keyof TestSettings;
  label: string;
  unit: string;
  hint: string;
  bounds: readonly [number, number];
}

const THRESHOLDS: readonly Threshold[] = [
  {
    ...{ key: 'failing_after', label: 'A test fails after', unit: 'runs', bounds: [1, 20] },
    hint: 'Failing runs in a row from one runner; as many good ones end it. A test may name its own.',
  },
  {
    ...{ key: 'certificate_warning_days', label: 'A certificate warns below', unit: 'days', bounds: [1, 365] },
    hint: 'Days before it ends.',
  },
  {
    ...{ key: 'certificate_critical_days', label: 'A certificate is critical below', unit: 'days', bounds: [0, 365] },
    hint: 'Fewer than those of the warning.',
  },
  {
    ...{ key: 'not_running_intervals', label: 'A test does not run after', unit: 'missed', bounds: [1, 100] },
    hint: 'Intervals in which no run came, from any of its runners.',
  },
  {
    ...{ key: 'not_running_minutes', label: 'And at least', unit: 'min', bounds: [1, 1440] },
    hint: 'So that a test of every second does not count after three.',
  },
];

type Typed = Record<keyof TestSettings, string>;

const toTyped = (settings: TestSettings): Typed =>
  Object.fromEntries(THRESHOLDS.map(({ key }) => [key, String(settings[key])])) as Typed;

const toSettings = (typed: Typed): TestSettings =>
  Object.fromEntries(THRESHOLDS.map(({ key }) => [key, Number(typed[key])])) as TestSettings;

/** What is wrong with a number; undefined: nothing is. */
export function thresholdFault(key: keyof TestSettings, typed: Typed): string | undefined {
  const [least, most] = THRESHOLDS.find((one) => one.key === key)?.bounds ?? [0, 0];
  const text = typed[key].trim();
  if (!/^\d{1,4}$/.test(text) || Number(text) < least || Number(text) > most) return `${least} to ${most}`;
  if (key === 'certificate_critical_days' && Number(text) >= Number(typed.certificate_warning_days))
    return 'Fewer than those of the warning';
  return undefined;
}

/** From when on something about a test counts, for the whole tenant. */
export function ThresholdsCard() {
  const settings = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ask('tests.settings.get', {}, signal) });
  if (settings.isError && !settings.data) return <Failure error={settings.error} retry={() => void settings.refetch()} />;
  if (!settings.data) return <Ghost width={480} says="Thresholds, loading" />;
  return <ThresholdsForm key={JSON.stringify(settings.data)} settings={settings.data} />;
}

function ThresholdsForm({ settings }: { settings: TestSettings }) {
  const queryClient = useQueryClient();
  const may = useMay('settings.write');
  const draft = useDraft('settings.tests', toTyped(settings));
  const faults = THRESHOLDS.flatMap(({ key }) => thresholdFault(key, draft.value) ?? []);
  const save = useMutation({
    mutationFn: () => tell('tests.settings.set', toSettings(draft.value)),
    onSuccess: (next) => {
      draft.clear();
      queryClient.setQueryData(KEY, next);
    },
  });
  let blocked: string | undefined;
  if (faults.length > 0) blocked = 'Correct the marked fields first';
  else if (!draft.isDirty) blocked = 'Nothing changed yet';
  return (
    <form
      className="card"
      aria-labelledby="thresholds-h"
      onSubmit={(event) => {
        event.preventDefault();
        if (may && !blocked) save.mutate();
      }}
    >
      <header>
        <h2 id="thresholds-h">When a test counts</h2>
        <span className="s mute">for all tests of the tenant</span>
      </header>
      <div className="body">
        {may ? (
          <DraftNote draft={draft} />
        ) : (
          <p className="note">Your role can read these settings. Someone with the role {ROLE_NAMES.admin} can change them.</p>
        )}
        <fieldset className="policy" disabled={!may}>
          <div className="formgrid">
            {THRESHOLDS.map(({ key, label, unit, hint }) => (
              <Field
                key={key}
                label={label}
                unit={unit}
                hint={hint}
                inputMode="numeric"
                value={draft.value[key]}
                error={thresholdFault(key, draft.value)}
                onChange={(event) => draft.change({ [key]: event.currentTarget.value })}
              />
            ))}
          </div>
        </fieldset>
        {may ? (
          <div className="row savebar">
            <Button look="primary" type="submit" busy={save.isPending} unavailable={blocked}>
              Save thresholds
            </Button>
            <UnsavedMark draft={draft} />
            {save.error ? (
              <span className="err" role="alert">
                {save.error.message}
              </span>
            ) : null}
          </div>
        ) : null}
      </div>
    </form>
  );
}
