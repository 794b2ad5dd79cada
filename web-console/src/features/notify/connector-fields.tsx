import type { ProviderForm } from '@svc/contracts/notify/connector';
import type { FormField } from '@svc/contracts/notify/form';
import { useId } from 'react';
import { Field } from '../../ui/controls/controls.tsx';

export type Values = Readonly<Record<string, string>>;

interface FieldsProps {
  form: ProviderForm;
  values: Values;
  /** Names of secrets that the connector has: left empty they stay. */
  kept?: readonly string[];
  /** It is an incoming webhook of Slack. */
  isHook?: boolean;
  /** By the name of a field. */
  faults: Values;
  onChange: (name: string, value: string) => void;
}

const OF_BOTS = ['url', 'channel', 'history'];

/** Teams has everything in one address, whose host is read from it, and so has Slack's webhook until a bot's token is typed in its place. */
function isAsked({ form: { provider }, isHook = false, values }: FieldsProps, { name }: FormField): boolean {
  if (provider === 'chat_b') return name !== 'url';
  return !isHook || values.credential?.startsWith('xox') || !OF_BOTS.includes(name);
}

/** The fields of a provider: what to paste, where it is found, which rights it needs. */
export function ConnectorFields(props: FieldsProps) {
  const { form, values, kept = [], faults, onChange } = props;
  return form.fields
    .filter((field) => isAsked(props, field))
    .map((field) => (
      <OneField
        key={`${form.provider} ${field.name}`}
        field={field}
        value={values[field.name] ?? ''}
        isKept={kept.includes(field.name)}
        fault={faults[field.name]}
        onChange={(value) => onChange(field.name, value)}
      />
    ));
}

interface OneProps {
  field: FormField;
  value: string;
  isKept: boolean;
  fault: string | undefined;
  onChange: (value: string) => void;
}

function OneField({ field, value, isKept, fault, onChange }: OneProps) {
  const { label, help, fallback, choices, placeholder } = field;
  const isNeeded = field.is_required && !isKept;
  const named = isNeeded ? label : `${label} (optional)`;
  if (choices)
    return <Choice label={label} help={help} value={value || (fallback ?? '')} choices={choices} onChange={onChange} />;
  if (field.is_secret)
    return (
      <Field
        label={isKept ? label : named}
        type="password"
        autoComplete="new-password"
        maxLength={4000}
        value={value}
        placeholder={isKept ? 'unchanged' : placeholder}
        hint={isKept ? `Leave it empty to keep what it has. ${help}` : help}
        error={fault}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  return (
    <Field
      label={named}
      maxLength={4000}
      value={value}
      placeholder={fallback ?? placeholder}
      spellCheck={false}
      hint={fallback ? `${help} Empty: ${fallback}` : help}
      error={fault}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface ChoiceProps {
  label: string;
  help: string;
  value: string;
  choices: readonly string[];
  onChange: (value: string) => void;
}

function Choice({ label, help, value, choices, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="labelled">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="select"
        value={value}
        aria-describedby={`${id}-h`}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
      <p id={`${id}-h`} className="s mute">
        {help}
      </p>
    </div>
  );
}
