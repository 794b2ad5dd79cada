import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { findBarriers } from '../../testing/accessibility.ts';
import { show } from '../../testing/show.tsx';
import { FormDialog } from './dialogs.tsx';

interface ExampleProps {
  onSubmit?: () => void;
  unavailable?: string;
  error?: string;
}

function Example({ onSubmit = () => {}, unavailable, error }: ExampleProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {open ? (
        <FormDialog
          title="Create token"
          action="Create"
          busy={false}
          unavailable={unavailable}
          error={error}
          onSubmit={onSubmit}
          onClose={() => setOpen(false)}
        >
          <label>
            Name <input />
          </label>
        </FormDialog>
      ) : null}
    </>
  );
}

const opener = () => page.getByRole('button', { name: 'Open', exact: true });
const dialog = () => page.getByRole('dialog', { name: 'Create token' });

it('gives the focus back to what opened it, by Escape and by Cancel', async () => {
  await show(<Example />);
  for (const leave of [() => userEvent.keyboard('{Escape}'), () => page.getByRole('button', { name: 'Cancel' }).click()]) {
    await opener().click();
    await expect.element(dialog()).toBeVisible();
    await expect.poll(() => dialog().element().contains(document.activeElement)).toBe(true);
    await leave();
    await expect.element(dialog()).not.toBeInTheDocument();
    await expect.element(opener()).toHaveFocus();
  }
});

it('is sent by Enter, and not while something is missing', async () => {
  const onSubmit = vi.fn();
  const { rerender } = await show(<Example onSubmit={onSubmit} />);
  await opener().click();
  await page.getByLabelText('Name').click();
  await userEvent.keyboard('{Enter}');
  expect(onSubmit).toHaveBeenCalledTimes(1);
  await rerender(<Example onSubmit={onSubmit} unavailable="Give a name" />);
  await userEvent.keyboard('{Enter}');
  expect(onSubmit).toHaveBeenCalledTimes(1);
  await expect.element(page.getByRole('button', { name: 'Create' })).toHaveAttribute('title', 'Give a name');
});

it('announces why it failed, and is no barrier', async () => {
  await show(<Example error="That name is taken." />);
  await opener().click();
  await expect.element(page.getByRole('alert')).toHaveTextContent('That name is taken.');
  expect(await findBarriers()).toEqual([]);
});
