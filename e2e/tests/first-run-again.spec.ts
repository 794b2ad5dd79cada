import { expect, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();

test.beforeEach(async ({ page }) => {
  await page.goto(`${url}/first-run`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});

test('the first run lists back what was chosen, and its last step is done', async ({ page }) => {
  // Entered by first-run.spec.ts.
  const own = page.getByRole('checkbox', { name: /127\.0\.0\.1/ });
  await expect(own).toBeChecked();
  await expect(page.getByRole('button', { name: 'Remove 127.0.0.1' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Nothing left: the fleet is live.');
  const progress = page.getByRole('complementary', { name: 'Progress of the first device' });
  await expect(progress).toContainText('The first verdict is here');
  await expect(progress.locator('[aria-current="step"]')).toHaveCount(0);
  await progress.getByRole('link', { name: 'Open the fleet' }).click();
  await expect(page.getByRole('row').nth(1)).toContainText(/Healthy|Slow|\d of \d measured|Measuring|Something is off/);
});

test('what enrols a device is printed with what runs it, before and after a token is created', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const commands = page.locator('.enrol .cmd code');
  const both = /svc-agent -- enroll --server \S+ --token \S+\s*\$ npm run svc-agent -- run$/;
  await expect(commands).toHaveText(both);
  await page.getByRole('button', { name: 'Create token' }).click();
  await expect(page.locator('.enrol')).toContainText('the token is not shown again');
  await expect(commands).toHaveText(both);
  await page.locator('.enrol').getByRole('button', { name: /Copy/ }).click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toMatch(/^npm run svc-agent -- enroll .* --token \S{20,}\nnpm run svc-agent -- run$/);
});

test('an address that is typed and not added yet is there again after another page', async ({ page }) => {
  const field = page.getByPlaceholder(/intranet/);
  await field.fill('intranet.example');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).click();
  await expect(page.getByRole('heading', { name: 'Who did what' })).toBeVisible();
  await page.goBack();
  await expect(field).toHaveValue('intranet.example');
  await page
    .getByRole('status')
    .filter({ hasText: 'Restored what you had typed' })
    .getByRole('button', { name: 'Discard' })
    .click();
  await expect(field).toHaveValue('');
});
