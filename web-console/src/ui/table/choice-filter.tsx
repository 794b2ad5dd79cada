import './table.css';
import { Select } from '@mantine/core';
import { useRef } from 'react';
import { Icon } from '../controls/icons.tsx';

export interface Choice {
  value: string;
  label: string;
}

interface ChoiceFilterProps {
  label: string;
  /** What stands in the field while nothing is chosen. */
  placeholder: string;
  choices: readonly Choice[];
  value: string | undefined;
  /** The chosen value in words where the list does not have it. */
  shown?: string | undefined;
  onChange: (value: string | undefined) => void;
}

const MAX_SHOWN = 200;

/** A filter of a table that takes one of many values by its words: typing narrows the list, Enter chooses, the cross clears. */
export function ChoiceFilter({ label, placeholder, choices, value, shown, onChange }: ChoiceFilterProps) {
  const input = useRef<HTMLInputElement>(null);
  const known = value === undefined || choices.some((choice) => choice.value === value);
  const data = known || value === undefined ? [...choices] : [{ value, label: shown ?? value }, ...choices];
  return (
    <Select
      ref={input}
      label={label}
      placeholder={placeholder}
      data={data}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      // The list scrolls by itself: the box that Mantine would put into it has no stop for the keyboard.
      withScrollArea={false}
      limit={MAX_SHOWN}
      nothingFoundMessage="No match"
      rightSection={value === undefined ? <Icon name="down" size={12} /> : undefined}
      // Mantine hides the cross from the keyboard and from screen readers, which then had no way to clear.
      clearButtonProps={{ 'aria-label': `Clear ${label}`, 'aria-hidden': undefined, tabIndex: 0 }}
      // The cross goes with the value, and the focus would go with it.
      onClear={() => input.current?.focus()}
      comboboxProps={{ transitionProps: { duration: 0 }, shadow: 'none', width: 280, position: 'bottom-start', offset: 4 }}
      classNames={{
        root: 'labelled choice',
        wrapper: 'choicebox',
        input: 'input',
        section: 'choiceend',
        dropdown: 'pop',
        options: 'list',
        option: 'opt',
        empty: 'opt mute',
      }}
    />
  );
}
