import { type FormEvent, useState } from 'react';
import type { MetricKind } from '../../api-types.ts';
import { Button, Field, Segments } from '../../ui/controls/controls.tsx';
import { Pop } from '../../ui/controls/floating.tsx';
import { Icon } from '../../ui/controls/icons.tsx';
import { quantileWord } from './metric-words.ts';
import {
  AGGREGATE_WORDS,
  type Aggregate,
  type choiceOf,
  FUNCTION_WORDS,
  functionsOf,
  type MetricsSearch,
  QUANTILES,
  readMatch,
  toggled,
} from './metrics-search.ts';

interface BarProps {
  kind: MetricKind;
  search: MetricsSearch;
  choice: ReturnType<typeof choiceOf>;
  onChange: (part: MetricsSearch) => void;
}

const SIGNS = { '=': '=', '!=': '≠', '=~': 'matches', '!~': 'does not match', in: 'in' } as const;

/** What is done to a series, then to the series of a group; and every condition, each to be taken away. */
export function QuestionBar({ kind, search, choice, onChange }: BarProps) {
  const quantiles = choice.fn === 'quantile';
  return (
    <div className="mt-bar">
      <Segments
        label="Of each series"
        value={choice.fn}
        options={functionsOf(kind).map((fn) => ({ value: fn, label: FUNCTION_WORDS[fn] }))}
        onChange={(fn) => onChange({ fn: fn === functionsOf(kind)[0] ? undefined : fn })}
      />
      {quantiles ? (
        <select
          className="select"
          aria-label="Quantile"
          value={String(choice.q)}
          onChange={(event) =>
            onChange({ q: event.currentTarget.value === '0.95' ? undefined : Number(event.currentTarget.value) })
          }
        >
          {[...new Set([...QUANTILES, choice.q])].sort().map((q) => (
            <option key={q} value={String(q)}>
              {quantileWord(q)}
            </option>
          ))}
        </select>
      ) : null}
      <label className="row s">
        <span className="mute">as</span>
        <select
          className="select"
          value={choice.agg}
          onChange={(event) =>
            onChange({
              agg: event.currentTarget.value as Aggregate,
              ...(event.currentTarget.value === 'none' ? { by: undefined } : {}),
            })
          }
        >
          {(Object.keys(AGGREGATE_WORDS) as Aggregate[]).map((aggregate) => (
            <option key={aggregate} value={aggregate}>
              {quantiles && aggregate === 'sum' && kind !== 'summary' ? 'one histogram' : AGGREGATE_WORDS[aggregate]}
            </option>
          ))}
        </select>
      </label>
      {search.by?.map((label) => (
        <Chip key={`by ${label}`} words="by" value={label} onRemove={() => onChange({ by: toggled(search.by, label) })} />
      ))}
      {search.match?.map((text) => {
        const matcher = readMatch(text);
        const words = matcher ? `${matcher.label} ${SIGNS[matcher.op]}` : '';
        const value = matcher?.values[0] || 'empty';
        return <Chip key={text} words={words} value={value} onRemove={() => onChange({ match: toggled(search.match, text) })} />;
      })}
      <AddCondition search={search} onChange={onChange} />
    </div>
  );
}

function Chip({ words, value, onRemove }: { words: string; value: string; onRemove: () => void }) {
  return (
    <span className="chip on">
      <span className="chip-b">
        {words} <b>{value}</b>
      </span>
      <button type="button" className="chip-x" aria-label={`Remove ${words} ${value}`} onClick={onRemove}>
        <Icon name="cross" size={12} />
      </button>
    </span>
  );
}

/** Any condition as text, patterns too. */
function AddCondition({ search, onChange }: Pick<BarProps, 'search' | 'onChange'>) {
  const [text, setText] = useState('');
  const fault = text !== '' && readMatch(text) === undefined;
  const add = (event: FormEvent, close: () => void): void => {
    event.preventDefault();
    if (text === '' || fault) return;
    onChange({ match: [...new Set([...(search.match ?? []), text])] });
    setText('');
    close();
  };
  return (
    <span className="chip">
      <Pop
        width={300}
        target={(open, toggle) => (
          <button type="button" className="chip-b" aria-expanded={open} onClick={toggle}>
            <Icon name="plus" size={12} /> Condition
          </button>
        )}
      >
        {(close) => (
          <form className="mt-form" onSubmit={(event) => add(event, close)}>
            <Field
              label="Condition on a label"
              placeholder="http.route=~/api/.*"
              value={text}
              error={fault ? 'Write label=value, !=, =~ or !~.' : undefined}
              hint="=, !=, or =~ and !~ for a pattern of the whole value"
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button type="submit" look="primary">
              Add
            </Button>
          </form>
        )}
      </Pop>
    </span>
  );
}
