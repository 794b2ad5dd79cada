import type { TestType } from '@svc/contracts/tests/test-types';
import type { RunnerView } from '@svc/contracts/tests/views';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Checkbox, Field, Segments } from '../../../ui/controls/controls.tsx';
import { useNow } from '../../../ui/moments/time.tsx';
import { formatAge } from '../../../ui/words/format.ts';
import { lackWords } from '../runner-words.ts';
import { runnersQuery } from '../test-queries.ts';
import { type Faults, faultAt } from './faults.ts';
import type { RunnerMode, TestForm } from './test-form.ts';

const MODES: readonly { value: RunnerMode; label: string }[] = [
  { value: 'any', label: 'Any one' },
  { value: 'all', label: 'All' },
  { value: 'named', label: 'These' },
  { value: 'labels', label: 'By label' },
];

const HINTS: Readonly<Record<RunnerMode, string>> = {
  any: 'One that can run it, always the same while it is there.',
  all: 'Every runner that can run it, and those that come later.',
  named: 'A runner that is silent counts as not run, never as failed.',
  labels: 'Every runner that has each of these labels.',
};

interface RunnerFieldProps {
  form: TestForm;
  faults: Faults;
  onChange: (part: Partial<TestForm>) => void;
}

/** From where a test runs, and how many of them must fail before it does. */
export function RunnerField({ form, faults, onChange }: RunnerFieldProps) {
  const fault = faultAt(faults, 'runners');
  return (
    <section aria-label="Runs from" className="drawerpart">
      <h3 className="drawerlabel">Runs from</h3>
      <Segments label="Runs from" options={MODES} value={form.mode} onChange={(mode) => onChange({ mode })} />
      {form.mode === 'named' ? <RunnerList type={form.type} chosen={form.runners} onChange={onChange} /> : null}
      {form.mode === 'labels' ? (
        <Field
          label="Labels of runners"
          value={form.runnerLabels}
          placeholder="region=eu, site=berlin"
          onChange={(event) => onChange({ runnerLabels: event.currentTarget.value })}
        />
      ) : null}
      <p className={fault ? 's err' : 's mute'}>{fault ?? HINTS[form.mode]}</p>
    </section>
  );
}

interface RunnerListProps {
  type: TestType;
  chosen: readonly string[];
  onChange: (part: Partial<TestForm>) => void;
}

function contactWords({ connected, contact_at, built_in }: RunnerView, now: number): string {
  if (built_in) return 'this server';
  if (!connected) return 'no contact';
  return contact_at ? `contact ${formatAge(now - Date.parse(contact_at))} ago` : 'connected';
}

function RunnerList({ type, chosen, onChange }: RunnerListProps) {
  const runners = useQuery(runnersQuery);
  const now = useNow(5_000);
  const known = runners.data?.items ?? [];
  const gone = chosen.filter((id) => runners.data && !known.some((runner) => runner.id === id));
  const toggle = (id: string, on: boolean): void =>
    onChange({ runners: on ? [...chosen, id] : chosen.filter((one) => one !== id) });
  if (runners.isError && !runners.data) return <p className="s err">Runners could not be read: {runners.error.message}</p>;
  return (
    <ul className="runnerchoices">
      {known.map((runner) => (
        <li key={runner.id}>
          <Checkbox checked={chosen.includes(runner.id)} label={runner.name} onChange={(on) => toggle(runner.id, on)} />
          <span className={`xs ${runner.connected ? 'mute' : 'med'}`}>
            {runner.lacks[type] ? lackWords(runner.lacks[type]) : contactWords(runner, now)}
          </span>
        </li>
      ))}
      {gone.map((id) => (
        <li key={id}>
          <Checkbox checked label={id} onChange={(on) => toggle(id, on)} />
          <span className="xs med">removed</span>
        </li>
      ))}
      {known.length < 2 ? (
        <li className="runnermore s">
          <Link to="/runners">Add a runner elsewhere</Link>
        </li>
      ) : null}
    </ul>
  );
}
