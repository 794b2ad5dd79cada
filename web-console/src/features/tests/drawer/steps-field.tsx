import type { BrowserStep, Locator } from '@svc/contracts/tests/params/browser';
import { useId } from 'react';
import { Button, IconButton } from '../../../ui/controls/controls.tsx';
import { type Faults, faultAt } from './faults.ts';
import { type Params, readAt, writeAt } from './params.ts';

type Kind = BrowserStep['do'];
type LocatorKind = 'text' | 'label' | 'css' | 'role';

const KINDS = {
  click: 'Click',
  fill: 'Fill',
  press: 'Press',
  expect_text: 'Expect text',
  expect_url: 'Expect URL',
  wait: 'Wait for',
  open: 'Open',
  pause: 'Pause',
} as const satisfies Record<Kind, string>;

const FIRST: Readonly<Record<Kind, BrowserStep>> = {
  click: { do: 'click', on: { text: '' } },
  fill: { do: 'fill', on: { label: '' }, value: '' },
  press: { do: 'press', key: 'Enter' },
  expect_text: { do: 'expect_text', text: '' },
  expect_url: { do: 'expect_url', matches: '' },
  wait: { do: 'wait', for: { text: '' } },
  open: { do: 'open', url: '' },
  pause: { do: 'pause', ms: 500 },
};

const LOCATORS: readonly { value: LocatorKind; label: string }[] = [
  { value: 'text', label: 'with text' },
  { value: 'label', label: 'field labelled' },
  { value: 'role', label: 'with role' },
  { value: 'css', label: 'by CSS' },
];

const MOST_STEPS = 30;

interface StepsProps {
  params: Params;
  faults: Faults;
  onChange: (params: Params) => void;
}

/** What a browser does after it opened the target: a list of declared steps, in their order. */
export function StepsField({ params, faults, onChange }: StepsProps) {
  const steps = (readAt(params, 'steps') ?? []) as readonly BrowserStep[];
  const write = (next: readonly BrowserStep[]): void => onChange(writeAt(params, 'steps', next.length > 0 ? next : undefined));
  const replace = (index: number, step: BrowserStep): void => write(steps.map((old, at) => (at === index ? step : old)));
  const move = (index: number, by: number): void => {
    const next = [...steps];
    const [step] = next.splice(index, 1);
    if (step) next.splice(index + by, 0, step);
    write(next);
  };
  return (
    <section aria-label="Steps" className="drawerpart">
      <h3 className="drawerlabel">Steps</h3>
      <p className="s mute">The page of the target is opened first. No script runs outside of it.</p>
      <ol className="teststeps">
        {steps.map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is nothing but its place.
          <li key={index}>
            <span className="num mute">{index + 1}</span>
            <StepRow step={step} number={index + 1} onChange={(next) => replace(index, next)} />
            <span className="stepacts">
              <IconButton icon="up" label={`Move step ${index + 1} up`} disabled={index === 0} onClick={() => move(index, -1)} />
              <IconButton
                icon="down"
                label={`Move step ${index + 1} down`}
                disabled={index === steps.length - 1}
                onClick={() => move(index, 1)}
              />
              <IconButton
                icon="cross"
                label={`Remove step ${index + 1}`}
                onClick={() => write(steps.filter((_, at) => at !== index))}
              />
            </span>
            {faultAt(faults, `params.steps.${index}`) ? (
              <p className="s err stepfault">{faultAt(faults, `params.steps.${index}`)}</p>
            ) : null}
          </li>
        ))}
      </ol>
      <Button
        look="quiet"
        icon="plus"
        unavailable={steps.length >= MOST_STEPS ? `A test has at most ${MOST_STEPS} steps` : undefined}
        onClick={() => write([...steps, FIRST.click])}
      >
        Add a step
      </Button>
    </section>
  );
}

interface RowProps {
  step: BrowserStep;
  number: number;
  onChange: (step: BrowserStep) => void;
}

function StepRow({ step, number, onChange }: RowProps) {
  const text = (label: string, value: string, set: (text: string) => BrowserStep) => (
    <input
      className="input"
      aria-label={`Step ${number}: ${label}`}
      placeholder={label}
      value={value}
      onChange={(event) => onChange(set(event.currentTarget.value))}
    />
  );
  return (
    <span className="stepfields">
      <select
        className="input"
        aria-label={`Step ${number}: what it does`}
        value={step.do}
        onChange={(event) => onChange(FIRST[event.currentTarget.value as Kind])}
      >
        {Object.entries(KINDS).map(([kind, word]) => (
          <option key={kind} value={kind}>
            {word}
          </option>
        ))}
      </select>
      {step.do === 'click' || step.do === 'fill' ? (
        <LocatorField locator={step.on} number={number} onChange={(on) => onChange({ ...step, on })} />
      ) : null}
      {step.do === 'wait' ? (
        <LocatorField locator={step.for} number={number} onChange={(place) => onChange({ ...step, for: place })} />
      ) : null}
      {step.do === 'fill' ? text('with', step.value, (value) => ({ ...step, value })) : null}
      {step.do === 'press' ? text('key', step.key, (key) => ({ ...step, key })) : null}
      {step.do === 'expect_text' ? text('text', step.text, (shown) => ({ ...step, text: shown })) : null}
      {step.do === 'expect_url' ? text('URL matches (RE2)', step.matches, (matches) => ({ ...step, matches })) : null}
      {step.do === 'open' ? text('URL', step.url, (url) => ({ ...step, url })) : null}
      {step.do === 'pause' ? text('milliseconds', String(step.ms), (ms) => ({ ...step, ms: Number(ms) || 0 })) : null}
    </span>
  );
}

const kindOf = (locator: Locator): LocatorKind => Object.keys(locator)[0] as LocatorKind;

/** A locator of another kind keeps what was typed. */
const locatorOf = (kind: LocatorKind, text: string): Locator => ({ [kind]: text }) as Locator;

function LocatorField({ locator, number, onChange }: { locator: Locator; number: number; onChange: (next: Locator) => void }) {
  const id = useId();
  const kind = 'role' in locator ? 'role' : kindOf(locator);
  const text = String((locator as Record<string, unknown>)[kind] ?? '');
  return (
    <>
      <select
        id={id}
        className="input"
        aria-label={`Step ${number}: found by`}
        value={kind}
        onChange={(event) => onChange(locatorOf(event.currentTarget.value as LocatorKind, text))}
      >
        {LOCATORS.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <input
        className="input"
        aria-label={`Step ${number}: ${kind}`}
        placeholder={kind === 'role' ? 'button' : kind}
        value={text}
        onChange={(event) => onChange({ ...locator, [kind]: event.currentTarget.value } as Locator)}
      />
      {'role' in locator ? (
        <input
          className="input"
          aria-label={`Step ${number}: name`}
          placeholder="name"
          value={locator.name ?? ''}
          onChange={(event) => {
            const { name: _, ...rest } = locator;
            onChange(event.currentTarget.value === '' ? rest : { ...rest, name: event.currentTarget.value });
          }}
        />
      ) : null}
    </>
  );
}
