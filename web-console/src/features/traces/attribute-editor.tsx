import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import type { TraceFacets } from '../../api-types.ts';
import { Button } from '../../ui/controls.tsx';
import { formatCount } from '../../ui/format.ts';
import { readAttribute, type SpanFilter } from './traces-search.ts';

interface AttributeEditorProps {
  /** A filter to be changed, or '' for a new one. */
  start: string;
  facets: TraceFacets | undefined;
  question: SpanFilter & { from: string; to: string };
  onSet: (text: string) => void;
}

const TESTS = [
  { value: '=', label: 'is' },
  { value: '≠', label: 'is not, or is missing' },
  { value: 'exists', label: 'is there' },
  { value: 'is missing', label: 'is missing' },
] as const;
type Test = (typeof TESTS)[number]['value'];

function write(key: string, test: Test, value: string): string {
  if (test === 'exists') return key;
  if (test === 'is missing') return `!${key}`;
  return `${key}${test === '=' ? '=' : '!='}${value}`;
}

/** Chooses a key, a test and a value out of what the newest spans have, or takes what is typed. */
export function AttributeEditor({ start, facets, question, onSet }: AttributeEditorProps) {
  const before = readAttribute(start);
  const [key, setKey] = useState(before.key);
  const [test, setTest] = useState<Test>(start === '' ? '=' : before.operator);
  const [value, setValue] = useState(before.value);
  const known = facets?.attributes.some((item) => item.key === key) ?? false;
  const values = useQuery({
    queryKey: ['traces.values', key, question],
    queryFn: ({ signal }) => ask('traces.values', { ...question, key }, signal),
    enabled: known && (test === '=' || test === '≠'),
  });
  const wantsValue = test === '=' || test === '≠';
  const keys = (facets?.attributes ?? []).filter((item) => item.key.toLowerCase().includes(key.toLowerCase())).slice(0, 40);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== '') onSet(write(key.trim(), test, value));
      }}
    >
      <div className="pophead tr-form">
        <label className="labelled">
          <span className="s">Attribute</span>
          <input
            className="input"
            value={key}
            maxLength={256}
            placeholder="http.route"
            onChange={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <span className="inputrow">
          <select
            className="select"
            aria-label="Test"
            value={test}
            onChange={(event) => setTest(event.currentTarget.value as Test)}
          >
            {TESTS.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
          {wantsValue ? (
            <input
              className="input"
              aria-label="Value"
              value={value}
              maxLength={700}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
          ) : null}
        </span>
        <Button type="submit" unavailable={key.trim() === '' ? 'Name an attribute' : undefined}>
          Apply
        </Button>
      </div>
      <ul className="list" aria-label={known ? 'Values' : 'Attributes'}>
        {known && wantsValue
          ? values.data?.values.map((item) => (
              <li key={item.value} className="flush">
                <button type="button" className="opt" onClick={() => onSet(write(key, test, item.value))}>
                  <span className="grow tr-cut">{item.value}</span>
                  <span className="num mute">{formatCount(item.spans)}</span>
                </button>
              </li>
            ))
          : keys.map((item) => (
              <li key={item.key} className="flush">
                <button type="button" className="opt" onClick={() => setKey(item.key)}>
                  <span className="grow tr-cut">{item.key}</span>
                  <span className="num mute">{formatCount(item.spans)}</span>
                </button>
              </li>
            ))}
      </ul>
      <p className="popfoot mute xs">
        {values.error ? values.error.message : `Counted in the newest ${formatCount(facets?.sampled ?? 0)} spans`}
      </p>
    </form>
  );
}
