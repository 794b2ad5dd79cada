import { useId } from 'react';
import { Checkbox, Field } from '../../../ui/controls/controls.tsx';
import { type Faults, faultAt } from './faults.ts';
import type { TestField } from './field-list.ts';
import { fromText, type Params, readAt, toText, writeAt } from './params.ts';
import { useTypedText } from './use-typed-text.ts';

export interface FieldProps {
  field: TestField;
  params: Params;
  faults: Faults;
  onChange: (params: Params) => void;
  /** The label is there already, in the row that holds it. */
  bare?: boolean;
}

const LINES: ReadonlySet<string> = new Set(['area', 'lines', 'headers', 'json']);

/** One parameter: what is typed stands as it was typed, and is sent as the schema has it. */
export function ParamField(props: FieldProps) {
  const { field, params, onChange } = props;
  const value = readAt(params, field.path);
  if (field.kind === 'flag') {
    return (
      <div className="paramflag">
        <Checkbox
          checked={value === true}
          label={props.bare ? 'yes' : field.label}
          onChange={(on) => onChange(writeAt(params, field.path, on))}
        />
        {field.hint && !props.bare ? <p className="s mute">{field.hint}</p> : null}
      </div>
    );
  }
  if (field.kind === 'choice') return <ChoiceParam {...props} value={toText(field, value)} />;
  return <TypedParam {...props} value={value} />;
}

function ChoiceParam({ field, params, onChange, bare, faults, value }: FieldProps & { value: string }) {
  const id = useId();
  const fault = faultAt(faults, `params.${field.path}`);
  return (
    <div className="labelled">
      {bare ? null : <label htmlFor={id}>{field.label}</label>}
      <select
        id={id}
        className="input"
        aria-label={bare ? assertionName(field) : undefined}
        aria-invalid={fault ? true : undefined}
        value={value === '' ? field.options?.[0]?.value : value}
        onChange={(event) => onChange(writeAt(params, field.path, fromText(field, event.currentTarget.value)))}
      >
        {field.options?.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <p className={fault ? 's err' : 's mute'}>{fault ?? (bare ? undefined : field.hint)}</p>
    </div>
  );
}

export const assertionName = ({ label, verb }: TestField): string => (verb ? `${label} ${verb}` : label);

function TypedParam({ field, params, onChange, bare, faults, value }: FieldProps & { value: unknown }) {
  const id = useId();
  const fault = faultAt(faults, `params.${field.path}`);
  const [text, type] = useTypedText(toText(field, value), (typed) =>
    onChange(writeAt(params, field.path, fromText(field, typed))),
  );
  if (!LINES.has(field.kind)) {
    return (
      <Field
        label={bare ? assertionName(field) : field.label}
        className={bare ? 'bareparam' : ''}
        value={text}
        error={fault}
        hint={bare ? undefined : field.hint}
        placeholder={field.placeholder ?? ''}
        {...(field.unit ? { unit: field.unit } : {})}
        {...(field.kind === 'number' || field.kind === 'percent' ? { inputMode: 'decimal' as const } : {})}
        onChange={(event) => type(event.currentTarget.value)}
      />
    );
  }
  return (
    <div className="labelled">
      <label htmlFor={id} className={bare ? 'sr' : undefined}>
        {bare ? assertionName(field) : field.label}
      </label>
      <textarea
        id={id}
        className={field.kind === 'lines' ? 'input' : 'input mono'}
        rows={Math.min(8, Math.max(field.kind === 'area' ? 3 : 1, text.split('\n').length))}
        value={text}
        placeholder={field.placeholder}
        aria-invalid={fault ? true : undefined}
        aria-describedby={`${id}-h`}
        title={bare ? field.hint : undefined}
        spellCheck={false}
        onChange={(event) => type(event.currentTarget.value)}
      />
      <p id={`${id}-h`} className={fault ? 's err' : 's mute'}>
        {fault ?? (bare ? undefined : field.hint)}
      </p>
    </div>
  );
}
