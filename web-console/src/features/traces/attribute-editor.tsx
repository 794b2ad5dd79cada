import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import type { TraceFacets } from '../../api-types.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { formatCount } from '../../ui/words/format.ts';
import {
  ATTRIBUTE_TESTS,
  type AttributeTest,
  faultOfAttribute,
  joinTyped,
  readAttribute,
  wantsNumber,
  wantsValue,
  writeAttribute,
} from './attribute-text.ts';
import type { SpanFilter } from './traces-search.ts';

interface AttributeEditorProps {
  /** A filter to be changed, or '' for a new one. */
  start: string;
  facets: TraceFacets | undefined;
  question: SpanFilter & { from: string; to: string };
  onSet: (text: string) => void;
}

const LABELS: Readonly<Record<AttributeTest, string>> = {
  '=': 'is',
  '≠': 'is not, or is missing',
  contains: 'contains',
  '>': 'is more than',
  '≥': 'is at least',
  '<': 'is less than',
  '≤': 'is at most',
  exists: 'exists',
  'is missing': 'is missing',
};

/** Chooses a key, a test and a value out of what the newest spans have, or takes what is typed. */
export function AttributeEditor({ start, facets, question, onSet }: AttributeEditorProps) {
  const before = start === '' ? undefined : readAttribute(start);
  const [key, setKey] = useState(before?.key ?? '');
  const [test, setTest] = useState<AttributeTest>(before?.operator ?? '=');
  const [value, setValue] = useState(before?.value ?? '');
  const parts = joinTyped({ key, operator: test, value });
  const fault = faultOfAttribute(parts);
  const known = facets?.attributes.some((item) => item.key === key) ?? false;
  const values = useQuery({
    queryKey: ['traces.values', key, question],
    queryFn: ({ signal }) => ask('traces.values', { ...question, key }, signal),
    enabled: known && wantsValue(test),
  });
  const choices = values.data?.values.map((item) => ({ ...item, parts: { key, operator: test, value: item.value } })) ?? [];
  const name = (parts?.key ?? key).toLowerCase();
  const keys = (facets?.attributes ?? []).filter((item) => item.key.toLowerCase().includes(name)).slice(0, 40);
  const typed = parts && parts.key !== key.trim() && fault === undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (parts && fault === undefined) onSet(writeAttribute(parts));
      }}
    >
      <div className="pophead tr-form">
        <label className="labelled">
          <span className="s">Attribute</span>
          <input
            className="input"
            value={key}
            maxLength={1024}
            placeholder="http.route"
            onChange={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        <span className="inputrow">
          <select
            className="select"
            aria-label="Test"
            value={test}
            onChange={(event) => setTest(event.currentTarget.value as AttributeTest)}
          >
            {ATTRIBUTE_TESTS.map((option) => (
              <option key={option} value={option}>
                {LABELS[option]}
              </option>
            ))}
          </select>
          {wantsValue(test) ? (
            <input
              className="input"
              aria-label="Value"
              inputMode={wantsNumber(test) ? 'decimal' : 'text'}
              value={value}
              maxLength={700}
              onChange={(event) => setValue(event.currentTarget.value)}
            />
          ) : null}
        </span>
        <Button type="submit" unavailable={fault}>
          Apply
        </Button>
      </div>
      <ul className="list" aria-label={known ? 'Values' : 'Attributes'}>
        {known && wantsValue(test)
          ? choices
              .filter((item) => faultOfAttribute(item.parts) === undefined)
              .map((item) => (
                <li key={item.value} className="flush">
                  <button type="button" className="opt" onClick={() => onSet(writeAttribute(item.parts))}>
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
        {typed ? `Asks for ${parts.key} ${LABELS[parts.operator]} ${parts.value}. ` : null}
        {values.error ? values.error.message : `Counted in the newest ${formatCount(facets?.sampled ?? 0)} spans`}
      </p>
    </form>
  );
}
