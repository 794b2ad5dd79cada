import { expect, it } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { show } from '../../testing/show.tsx';
import { Pop } from './floating.tsx';

const openPop = async () => {
  await show(
    <Pop
      target={(open, toggle) => (
        <button type="button" aria-expanded={open} onClick={toggle}>
          Menu
        </button>
      )}
    >
      {() => <button type="button">Inside</button>}
    </Pop>,
  );
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect.element(page.getByRole('button', { name: 'Inside' })).toBeVisible();
};

it('is closed by Escape and gives the focus back', async () => {
  await openPop();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('button', { name: 'Menu' })).toHaveAttribute('aria-expanded', 'false');
  await expect.element(page.getByRole('button', { name: 'Menu' })).toHaveFocus();
});

it('is closed by Escape too while nothing has the focus, as a moment after it opened', async () => {
  await openPop();
  (document.activeElement as HTMLElement | null)?.blur();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('button', { name: 'Menu' })).toHaveAttribute('aria-expanded', 'false');
  await expect.element(page.getByRole('button', { name: 'Menu' })).toHaveFocus();
});

it('is closed by Escape too while its control still has the focus', async () => {
  await openPop();
  (page.getByRole('button', { name: 'Menu' }).element() as HTMLElement).focus();
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('button', { name: 'Menu' })).toHaveAttribute('aria-expanded', 'false');
  await expect.element(page.getByRole('button', { name: 'Menu' })).toHaveFocus();
});
