import { expect, type Locator, type Page, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();
const deviceLinks = (page: Page): Locator => page.getByRole('row').getByRole('link');

/** Escape closes the dialog that the key opened, and the focus is where it was. */
async function expectFocusBack(page: Page, from: Locator, key = 'Enter'): Promise<void> {
  await from.focus();
  await page.keyboard.press(key);
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await expect(dialog.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(from).toBeFocused();
}

test.describe('a dialog closed by Escape gives the focus back to what opened it', () => {
  test('on the fleet and from the palette', async ({ page }) => {
    await page.goto(`${url}/fleet`);
    await expect(deviceLinks(page).first()).toBeVisible();
    await expectFocusBack(page, page.getByRole('button', { name: 'Enrol a device' }).first());
    await expectFocusBack(page, page.getByRole('button', { name: 'Find a device, test or page' }));
    await expectFocusBack(page, deviceLinks(page).first(), 'Control+k');
  });

  test('of people and tokens', async ({ page }) => {
    await page.goto(`${url}/identity`);
    await expectFocusBack(page, page.getByRole('button', { name: 'Invite' }));
    await page.goto(`${url}/identity?tab=tokens`);
    await expectFocusBack(page, page.getByRole('button', { name: 'Create token' }).first());
  });

  test('of a device, also one that a list of choices opened', async ({ page }) => {
    await page.goto(`${url}/fleet`);
    await deviceLinks(page).first().click();
    await expectFocusBack(page, page.getByRole('button', { name: 'Name, site, owner' }));
    const choices = page.getByRole('button', { name: 'Retire or revoke' });
    await choices.click();
    await page.getByRole('button', { name: 'Retire this device' }).click();
    await expect(page.getByRole('dialog', { name: 'Retire this device?' })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(choices).toBeFocused();
  });

  test('a second dialog in place of the first', async ({ page }) => {
    await page.goto(`${url}/identity?tab=tokens`);
    const create = page.getByRole('button', { name: 'Create token' }).first();
    await create.click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name' }).fill('e2e focus');
    await form.getByRole('checkbox', { name: /Viewer/ }).check();
    await form.getByRole('button', { name: 'Create token' }).click();
    await expect(page.getByText(/svc_pat_/).first()).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(create).toBeFocused();
  });
});

test('a page chosen in the palette has the focus, not what opened the palette', async ({ page }) => {
  await page.goto(`${url}/settings`);
  await page.getByRole('button', { name: 'Find a device, test or page' }).click();
  await page.getByRole('combobox').fill('audit');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${url}/audit`);
  await expect(page.getByRole('combobox', { name: 'Action' })).toBeVisible();
  await expect(page.locator('main')).toBeFocused();
});

test('Back and forward give the focus back to the link that was followed', async ({ page }) => {
  await page.goto(`${url}/fleet`);
  const link = deviceLinks(page).first();
  const href = (await link.getAttribute('href')) ?? '';
  await link.focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL((at) => at.pathname === href.split('?')[0]);
  await expect(page.locator('main')).toBeFocused();
  const back = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Fleet' });
  await back.focus();
  await page.goBack();
  await expect(link).toBeFocused();
  await page.goForward();
  await expect(back).toBeFocused();
});

test('Back gives the focus back to the row that Enter opened', async ({ page }) => {
  await page.goto(`${url}/fleet`);
  const row = page.getByRole('row').nth(1);
  await expect(row.getByRole('link').first()).toBeVisible();
  await row.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: /^Verdicts, last/ })).toBeVisible();
  await page.goBack();
  await expect(row).toBeFocused();
});

test('a page that Back finds without the link that was followed has the focus itself', async ({ page }) => {
  await page.goto(`${url}/fleet`);
  await deviceLinks(page).first().click();
  await expect(page.getByRole('heading', { name: /^Verdicts, last/ })).toBeVisible();
  await page.getByRole('button', { name: 'Name, site, owner' }).focus();
  await page.route('**/trpc/endpoint.list*', (route) => route.abort());
  await page.goBack();
  await page.goForward();
  await expect(page.locator('main')).toBeFocused();
});
