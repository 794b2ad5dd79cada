import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { shellAnswers } from '../../testing/examples.ts';
import { openPage } from '../../testing/show.tsx';

const field = () => page.getByRole('combobox', { name: /^Device, owner/ });

it('loses no key of whoever types on at once after opening the palette', async () => {
  await openPage('/changes', shellAnswers);
  await expect.element(page.getByRole('button', { name: /^Find a device/ })).toBeVisible();
  // As one stroke: nothing waits for the field in between.
  for (const key of ['k', 'L', 'I', 'S', 'Backspace'])
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: key === 'k', bubbles: true, cancelable: true }));
  await expect.element(field()).toHaveValue('LI');
  await userEvent.keyboard('S');
  await expect.element(field()).toHaveValue('LIS');
});
