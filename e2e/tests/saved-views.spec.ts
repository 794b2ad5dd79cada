import { expect, type Page, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();

const menu = (page: Page) => page.getByRole('button', { name: /^View: / });
const views = (page: Page) => page.getByRole('list', { name: 'Views' });
const view = (page: Page, name: string) => views(page).getByRole('link', { name: new RegExp(`^${name}`) });

async function save(page: Page, name: string): Promise<void> {
  await menu(page).click();
  await page.getByRole('textbox', { name: 'Name this view' }).fill(name);
  await page.keyboard.press('Enter');
  await expect(menu(page)).toHaveText(`View: ${name}`);
}

/** One of the actions under a view's name; the menu stays open. */
async function act(page: Page, name: string, action: string): Promise<void> {
  if (!(await views(page).isVisible())) await menu(page).click();
  await page.getByRole('button', { name: `Change view ${name}` }).click();
  await page.getByRole('button', { name: action, exact: true }).click();
}

async function closeMenu(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(views(page)).toBeHidden();
  await expect(menu(page)).toBeFocused();
}

test('a view is saved, survives a reload, is left by Back and opened again', async ({ page }) => {
  await page.goto(`${url}/fleet?search=porto&sort=-worst_session_ms`);
  await expect(menu(page)).toHaveText('View: custom');
  await save(page, 'Porto');
  await page.reload();
  await expect(menu(page)).toHaveText('View: Porto');
  await menu(page).click();
  await view(page, 'Slowest sessions first').click();
  await expect(page).toHaveURL(/fleet\?sort=-worst_session_ms$/);
  await page.goBack();
  await expect(page).toHaveURL(/search=porto/);
  await expect(menu(page)).toHaveText('View: Porto');
  await menu(page).click();
  await expect(views(page).locator('[aria-current]')).toHaveText(['Porto']);
  await page.keyboard.press('Escape');
  await expect(menu(page)).toBeFocused();
});

test('a name that is taken is refused beside it, and renaming, updating and deleting are felt at once', async ({ page }) => {
  await page.goto(`${url}/fleet?search=faro`);
  await menu(page).click();
  await page.getByRole('textbox', { name: 'Name this view' }).fill('porto');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('You already have a view of this name. Choose another name.');
  await act(page, 'Porto', 'Rename');
  await page.getByRole('textbox', { name: 'New name of Porto' }).fill('South');
  await page.keyboard.press('Enter');
  await expect(view(page, 'South')).toBeVisible();
  await act(page, 'South', 'Update to what is shown');
  await expect(menu(page)).toHaveText('View: South');
  await act(page, 'South', 'Delete');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(view(page, 'South')).toBeHidden();
  await expect(page.getByText('No saved views yet.')).toBeVisible();
});

test('the default is what a bare address opens with, and never what a link asks for', async ({ page }) => {
  await page.goto(`${url}/logs?level=error&range=6h`);
  await save(page, 'Errors');
  await act(page, 'Errors', 'Make default');
  await expect(view(page, 'Errors')).toContainText('Default');
  await closeMenu(page);

  await page.goto(`${url}/fleet`);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Logs' }).click();
  await expect(page).toHaveURL(
    (at) => at.pathname === '/logs' && at.searchParams.get('level') === 'error' && at.searchParams.get('range') === '6h',
  );
  // It stands in the place of the bare address: Back leads to the page before.
  await page.goBack();
  await expect(page).toHaveURL(/fleet$/);
  await page.goto(`${url}/logs?text=x`);
  await expect(menu(page)).toHaveText('View: custom');
  await expect(page).toHaveURL(/logs\?text=x$/);

  // What the reader takes out stays out, on the way back too.
  await menu(page).click();
  await view(page, 'All lines').click();
  await expect(page).toHaveURL(/logs$/);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).click();
  await expect(page).toHaveURL(/audit/);
  await page.goBack();
  await expect(menu(page)).toHaveText('View: All lines');
  await expect(page).toHaveURL(/logs$/);

  await act(page, 'Errors', 'Stop opening with it');
  await act(page, 'Errors', 'Delete');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(view(page, 'Errors')).toBeHidden();
});

test('what a page does not know any more is left out, and the menu says so', async ({ page }) => {
  const saved = { page: 'traces', name: 'Old', search: 'status=error&flavour=mild', shared: false };
  const headers = { origin: url };
  const made = await page.request.post(`${url}/v1/saved-views`, { data: saved, headers });
  expect(made.status()).toBe(201);
  await page.goto(`${url}/traces`);
  await menu(page).click();
  await expect(view(page, 'Old')).toContainText('flavour=mild is not known here');
  await view(page, 'Old').click();
  await expect(page).toHaveURL(/traces\?status=error$/);
  await page.request.delete(`${url}/v1/saved-views/${(await made.json()).id}`, { headers });
});

test('a list that cannot be read says so in the menu, and the views of the page stay', async ({ page }) => {
  await page.route('**/trpc/savedViews.list*', (route) => route.fulfill({ status: 403, json: { error: {} } }));
  await page.goto(`${url}/traces`);
  await menu(page).click();
  await expect(page.getByRole('alert')).toContainText('Saved views could not be read.');
  await expect(view(page, 'All traces')).toBeVisible();
});

test('a shared view reaches a second person, who can open with it and not change it', async ({ page, browser }) => {
  await page.goto(`${url}/fleet?search=shared`);
  await save(page, 'Team');
  await act(page, 'Team', 'Share with everybody');
  await expect(view(page, 'Team')).toContainText('Shared by you');

  await page.goto(`${url}/identity`);
  await page.getByRole('button', { name: /Invite/ }).click();
  await page.getByRole('checkbox', { name: /Viewer/ }).check();
  await page
    .getByRole('button', { name: /link|Invite/i })
    .last()
    .click();
  const link = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
  const context = await browser.newContext({ ignoreHTTPSErrors: true, storageState: { cookies: [], origins: [] } });
  const guest = await context.newPage();
  await guest.goto(link);
  await guest.getByLabel('E-mail').fill('views@example.test');
  await guest.getByLabel('Password', { exact: true }).fill('another long password');
  await guest.getByLabel('Password once more').fill('another long password');
  await guest.getByRole('button', { name: /sign in/i }).click();
  await expect(menu(guest)).toBeVisible();
  await menu(guest).click();
  await guest.getByRole('button', { name: 'Change view Team' }).click();
  await expect(guest.getByRole('button', { name: 'Rename' })).toHaveCount(0);
  await expect(guest.getByRole('button', { name: 'Delete' })).toHaveCount(0);
  await guest.getByRole('button', { name: 'Make default' }).click();
  await expect(view(guest, 'Team')).toContainText('Default');
  await guest.goto(`${url}/fleet`);
  await expect(guest).toHaveURL(/search=shared/);

  await page.goto(`${url}/fleet?search=shared`);
  await act(page, 'Team', 'Stop sharing');
  await expect(view(page, 'Team')).not.toContainText('Shared');
  await guest.goto(`${url}/fleet`);
  await expect(menu(guest)).toHaveText('View: Worst first');
  await context.close();
  await act(page, 'Team', 'Delete');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(view(page, 'Team')).toBeHidden();
});
