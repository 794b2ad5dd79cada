import { type FormEvent, useState } from 'react';
import { Button, Field } from '../controls/controls.tsx';
import { Pop } from '../controls/floating.tsx';
import { Icon } from '../controls/icons.tsx';
import { formatSpan } from '../words/format.ts';
import {
  faultOf,
  RANGE_WORDS,
  type RangeName,
  type RangeSearch,
  readInstant,
  type TimeRule,
  writeInstant,
} from './time-range.ts';

const wordsOf = (name: RangeName | undefined): string => (name ? RANGE_WORDS[name] : 'Any time');

interface RangeMenuProps {
  rule: TimeRule;
  search: RangeSearch;
  /** All three keys are named, so that the old ones go. */
  onChange: (next: RangeSearch) => void;
}

const NO_WINDOW = { from: undefined, to: undefined } as const;

/** The time that a page covers, all of it where the page needs none: one of its relative ranges, or a window between two moments. One takes the place of the other. */
export function RangeMenu({ rule, search: { range, from, to }, onChange }: RangeMenuProps) {
  const shown = range ?? rule.usual;
  const window = from !== undefined && to !== undefined;
  const now = Date.now();
  const choices: readonly (RangeName | undefined)[] = rule.usual ? rule.names : [undefined, ...rule.names];
  return (
    <Pop
      width="max-content"
      position="bottom-end"
      target={(open, toggle) => (
        <button type="button" className="btn" aria-expanded={open} onClick={toggle}>
          <Icon name="clock" size={14} />
          {window ? formatSpan(from, to, now) : wordsOf(shown)}
          <Icon name="down" size={12} />
        </button>
      )}
    >
      {(close) => (
        <>
          <ul className="list" aria-label="Time shown">
            {choices.map((name) => (
              <li key={name ?? ''} className="flush">
                <button
                  type="button"
                  className="opt"
                  aria-current={!window && name === shown}
                  onClick={() => {
                    // The range that is shown anyway makes no step in the history.
                    if (window || name !== shown) onChange({ range: name, ...NO_WINDOW });
                    close();
                  }}
                >
                  {wordsOf(name)}
                </button>
              </li>
            ))}
          </ul>
          <WindowForm
            rule={rule}
            from={from}
            to={to}
            onApply={(next) => {
              onChange({ range, ...next });
              close();
            }}
          />
        </>
      )}
    </Pop>
  );
}

/** An instant as an input of the viewer's zone holds it: to the minute. */
const toLocal = (text: string | undefined): string => {
  const ms = readInstant(text);
  if (Number.isNaN(ms)) return '';
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

interface FormProps {
  rule: TimeRule;
  from: string | undefined;
  to: string | undefined;
  onApply: (window: { from: string; to: string }) => void;
}

function WindowForm({ rule, from, to, onApply }: FormProps) {
  const [start, setStart] = useState(toLocal(from));
  const [end, setEnd] = useState(toLocal(to));
  const [asked, setAsked] = useState(false);
  // Without a zone the text is of the viewer's, as an input of this kind means it.
  const window = { from: Date.parse(start), to: Date.parse(end) };
  const fault = faultOf(window, rule, Date.now());
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAsked(true);
    if (!fault) onApply({ from: writeInstant(window.from), to: writeInstant(window.to) });
  };
  return (
    <form className="pophead" onSubmit={submit} noValidate>
      <Field label="From" type="datetime-local" value={start} onChange={(event) => setStart(event.currentTarget.value)} />
      <Field
        label="To"
        type="datetime-local"
        value={end}
        error={asked ? fault : undefined}
        onChange={(event) => setEnd(event.currentTarget.value)}
      />
      <Button type="submit">Apply</Button>
    </form>
  );
}
