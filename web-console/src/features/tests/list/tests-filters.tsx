import { TEST_TYPES } from '@svc/contracts/tests/test-types';
import type { TestList, TestState } from '@svc/contracts/tests/views';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button, Checkbox, Field } from '../../../ui/controls/controls.tsx';
import { Pop } from '../../../ui/controls/floating.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { formatCount } from '../../../ui/words/format.ts';
import { runnersQuery } from '../test-queries.ts';
import { STATES } from '../test-states.ts';
import { STATE_WORDS } from '../test-words.ts';
import { filterTitle, filterValue } from './filter-words.ts';
import type { TestsSearch } from './tests-search.ts';
import { totalOf } from './tests-sentence.ts';

export type Change = (part: TestsSearch) => void;

interface PartProps {
  search: TestsSearch;
  onChange: Change;
}

/** Those that there are; failing, not running and passing stand there also with none. */
const isOffered = (state: TestState, counts: TestList['counts'] | undefined, chosen: readonly TestState[]): boolean =>
  ['failing', 'not_running', 'passing'].includes(state) || (counts?.[state] ?? 0) > 0 || chosen.includes(state);

/** Every state side by side with how many there are; one at a time. */
export function StateSegments({ search, counts, onChange }: PartProps & { counts: TestList['counts'] | undefined }) {
  const chosen = search.state ?? [];
  const count = (value: number | undefined) =>
    value === undefined ? null : <span className="num mute">{formatCount(value)}</span>;
  return (
    <fieldset className="seg teststates">
      <legend className="sr">State</legend>
      <button type="button" aria-pressed={chosen.length === 0} onClick={() => onChange({ state: undefined })}>
        All {count(counts && totalOf(counts))}
      </button>
      {STATES.filter((state) => isOffered(state, counts, chosen)).map((state) => (
        <button key={state} type="button" aria-pressed={chosen.includes(state)} onClick={() => onChange({ state: [state] })}>
          {STATE_WORDS[state]} {count(counts?.[state])}
        </button>
      ))}
    </fieldset>
  );
}

interface ChipProps extends PartProps {
  name: 'type' | 'runner' | 'label';
  nameOf?: (id: string) => string;
  children: (close: () => void) => ReactNode;
}

function Chip({ name, search, onChange, nameOf, children }: ChipProps) {
  const on = search[name] !== undefined;
  const title = filterTitle(name);
  return (
    <span className={on ? 'chip on' : 'chip'}>
      <Pop
        width={240}
        target={(open, toggle) => (
          <button type="button" className="chip-b" aria-expanded={open} onClick={toggle}>
            {title} {on ? <b>{filterValue(search, name, nameOf)}</b> : <Icon name="down" size={12} />}
          </button>
        )}
      >
        {children}
      </Pop>
      {on ? (
        <button
          type="button"
          className="chip-x"
          aria-label={`Remove filter ${title}`}
          onClick={() => onChange({ [name]: undefined })}
        >
          <Icon name="cross" size={12} />
        </button>
      ) : null}
    </span>
  );
}

interface ListProps {
  chosen: readonly string[];
  options: readonly { value: string; label: string }[];
  whenEmpty: string;
  onChosen: (values: string[] | undefined) => void;
}

function OptionList({ chosen, options, whenEmpty, onChosen }: ListProps) {
  const unknown = chosen.filter((value) => !options.some((option) => option.value === value));
  const all = [...options, ...unknown.map((value) => ({ value, label: value }))];
  return (
    <ul className="list">
      {all.map(({ value, label }) => (
        <li key={value}>
          <Checkbox
            checked={chosen.includes(value)}
            label={label}
            onChange={(on) => {
              const next = on ? [...chosen, value] : chosen.filter((other) => other !== value);
              onChosen(next.length > 0 ? next : undefined);
            }}
          />
        </li>
      ))}
      {all.length === 0 ? <li className="mute">{whenEmpty}</li> : null}
    </ul>
  );
}

/** A label as `key` or `key=value`; Enter adds it. */
function LabelForm({ chosen, onChosen }: { chosen: readonly string[]; onChosen: (labels: string[]) => void }) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const label = text.trim();
    if (label !== '') onChosen([...new Set([...chosen, label])]);
  };
  return (
    <form className="pophead" onSubmit={submit}>
      <Field
        label="Label"
        data-autofocus
        maxLength={192}
        placeholder="team=shop"
        hint="A key, or key=value."
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit">Apply</Button>
    </form>
  );
}

/** Filters beside the states: type, runner, label. */
export function FilterChips({ search, onChange }: PartProps) {
  const runners = useQuery(runnersQuery).data?.items ?? [];
  const nameOf = (id: string): string => runners.find((runner) => runner.id === id)?.name ?? id;
  return (
    <>
      <Chip name="type" search={search} onChange={onChange}>
        {() => (
          <OptionList
            chosen={search.type ?? []}
            options={TEST_TYPES.map((type) => ({ value: type, label: type }))}
            whenEmpty=""
            onChosen={(values) => onChange({ type: values as TestsSearch['type'] })}
          />
        )}
      </Chip>
      <Chip name="runner" search={search} onChange={onChange} nameOf={nameOf}>
        {() => (
          <OptionList
            chosen={search.runner ?? []}
            options={runners.map(({ id, name }) => ({ value: id, label: name }))}
            whenEmpty="No runner yet"
            onChosen={(values) => onChange({ runner: values })}
          />
        )}
      </Chip>
      <Chip name="label" search={search} onChange={onChange}>
        {(close) => (
          <LabelForm
            chosen={search.label ?? []}
            onChosen={(label) => {
              onChange({ label });
              close();
            }}
          />
        )}
      </Chip>
    </>
  );
}
