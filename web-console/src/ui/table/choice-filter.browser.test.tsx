import { useState } from 'react';
import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { show } from '../../testing/show.tsx';
import { ChoiceFilter } from './choice-filter.tsx';

const CHOICES = [
  { value: 'u1', label: 'Ana Costa' },
  { value: 'u2', label: 'Bo Lind' },
  { value: 'u3', label: 'Bruno Dias' },
];

const MANY = Array.from({ length: 150 }, (_, i) => ({ value: `m${i}`, label: `Person ${i}` }));

interface ExampleProps {
  first?: string;
  choices?: typeof CHOICES;
  onChange?: (value: string | undefined) => void;
}

function Example({ first, choices = CHOICES, onChange }: ExampleProps) {
  const [value, setValue] = useState(first);
  const change = (next: string | undefined): void => {
    setValue(next);
    onChange?.(next);
  };
  return (
    <ChoiceFilter label="Person" placeholder="Anyone" choices={choices} value={value} shown="Gone Person" onChange={change} />
  );
}

const field = () => page.getByRole('textbox', { name: 'Person' }).or(page.getByRole('combobox', { name: 'Person' }));

it('narrows by typing, and Enter chooses the value whose words were typed', async () => {
  const chosen: (string | undefined)[] = [];
  await show(<Example onChange={(value) => chosen.push(value)} />);
  await field().click();
  await expect.poll(() => page.getByRole('option').elements().length).toBe(3);
  await userEvent.keyboard('bru');
  await expect
    .poll(() =>
      page
        .getByRole('option')
        .elements()
        .map((one) => one.textContent),
    )
    .toEqual(['Bruno Dias']);
  await userEvent.keyboard('{ArrowDown}{Enter}');
  await expect.poll(() => chosen).toEqual(['u3']);
  await expect.element(field()).toHaveValue('Bruno Dias');
});

it('says that nothing matches', async () => {
  await show(<Example />);
  await field().click();
  await userEvent.keyboard('zzz');
  await expect.element(page.getByText('No match')).toBeVisible();
});

it('is cleared by its cross from the keyboard, and the focus stays in the field', async () => {
  const chosen: (string | undefined)[] = [];
  await show(<Example first="u1" onChange={(value) => chosen.push(value)} />);
  const cross = page.getByRole('button', { name: 'Clear Person' });
  cross.element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => chosen).toEqual([undefined]);
  await expect.element(field()).toHaveFocus();
  await expect.element(cross).not.toBeInTheDocument();
});

it('shows a value that the list does not have in words', async () => {
  await show(<Example first="u9" />);
  await expect.element(field()).toHaveValue('Gone Person');
});

it('is no barrier, closed, open and with a value', async () => {
  await show(<Example first="u1" />);
  expect(await findBarriers()).toEqual([]);
  await field().click();
  await expect.element(page.getByRole('option', { name: 'Bo Lind' })).toBeVisible();
  expect(await findBarriers()).toEqual([]);
});

it('shows a long list in a box that scrolls, follows the arrow keys in it, and is no barrier', async () => {
  await show(<Example choices={MANY} />);
  await field().click();
  await expect.poll(() => page.getByRole('option').elements().length).toBe(150);
  const list = page.getByRole('listbox').element();
  expect(list.getBoundingClientRect().bottom).toBeLessThanOrEqual(innerHeight);
  await userEvent.keyboard('{ArrowUp}');
  const last = page.getByRole('option', { name: 'Person 149' });
  await expect
    .poll(() => last.element().getBoundingClientRect().bottom)
    .toBeLessThanOrEqual(list.getBoundingClientRect().bottom + 1);
  expect(await findBarriers()).toEqual([]);
});
