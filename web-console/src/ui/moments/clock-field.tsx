import type { ChangeEvent } from 'react';
import { Field } from '../controls/controls.tsx';
import { readClock } from './clock.ts';

interface ClockProps {
  label: string;
  value: string;
  error?: string | undefined;
  onChange: (value: string) => void;
}

/** A time of day from 00:00 to 23:59, as everywhere in the console: a browser's own field follows its language and may ask for AM and PM. */
export const ClockField = ({ label, value, error, onChange }: ClockProps) => (
  <Field
    label={label}
    className="clock"
    inputMode="numeric"
    autoComplete="off"
    maxLength={5}
    placeholder="22:30"
    value={value}
    error={error}
    onChange={(event: ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value)}
    onBlur={() => {
      if (readClock(value) !== value) onChange(readClock(value));
    }}
  />
);
