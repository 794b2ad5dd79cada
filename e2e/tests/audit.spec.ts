import { expect, type Page, test } from '@playwright/test';
import { ADMIN, running } from '../stack/running.ts';

const { url } = running();
const GUEST = 'nadia@example.test';

const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') });

/** Chooses by words as they are read, never by a key of the machine. */
async function choose(
  page: Page,
  field: 'Person' | 'Action',
  { typed, option }: { typed: string; option: RegExp },
): Promise<void> {
  await page
    .getByRole('combobox', { name: field })
    .or(page.getByLabel(field, { exact: true }))
    .first()
    .fill(typed);
  await page.getByRole('option', { name: option }).click();
}

test('who was invited, which device enrolled and who did it are found and read by their names', async ({ page }) => {
  await page.goto(`${url}/identity`);
  await page.getByRole('button', { name: /Invite/ }).click();
  await page
    .getByRole('dialog')
    .getByLabel(/E-mail/)
    .fill(GUEST);
  await page.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByRole('dialog')).toContainText('works once');

  await page.goto(`${url}/audit`);
  await expect(rows(page).first()).toBeVisible();
  await choose(page, 'Action', { typed: 'invited', option: /^Member invited$/ });
  await expect(page).toHaveURL(/action=member\.invite/);
  await expect(rows(page).first()).toContainText(`${GUEST} invitation`);
  // The former rows stay until those of the filter are there.
  await expect
    .poll(async () => new Set(await rows(page).locator('td:nth-child(4)').allTextContents()))
    .toEqual(new Set(['Member invited']));

  await choose(page, 'Action', { typed: 'enrolled', option: /^Device enrolled$/ });
  await expect(page).toHaveURL(/action=agent\.enrol/);
  // Its name before what it is, and the label of the token that it came with.
  await expect(rows(page).first().locator('td:nth-child(3)')).toHaveText(/^\S+ device$/);
  await expect(rows(page).first().locator('td:nth-child(5)')).toHaveText('this machine enrol token');

  await page.getByRole('combobox', { name: 'Action' }).focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Clear Action' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/action=/);
  await expect(page.getByRole('combobox', { name: 'Action' })).toBeFocused();
  await choose(page, 'Person', { typed: 'ines', option: new RegExp(ADMIN.email) });
  await expect(page).toHaveURL(/actor=/);
  await expect(rows(page).first()).toContainText(/ines/i);
  await expect
    .poll(async () => (await rows(page).locator('td:nth-child(3)').allTextContents()).filter((who) => !/ines/i.test(who)))
    .toEqual([]);
  await page.goBack();
  await expect(page).not.toHaveURL(/actor=/);
});
