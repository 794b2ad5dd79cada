import { expect, test } from '@playwright/test';
import { ADMIN, running } from '../stack/running.ts';

test('a person becomes admin by the claim link, chooses what to trace, and sees this machine within 60 s', async ({ page }) => {
  const { url, claimLink } = running();
  const outside: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) outside.push(request.url());
  });
  await page.goto(claimLink);
  await expect(page.getByRole('heading', { name: 'Become the administrator' })).toBeVisible();
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password);
  await page.getByLabel('Password once more').fill(ADMIN.password);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();

  await expect(page.getByRole('heading', { name: /choose what to trace/ })).toBeVisible();
  // Only what this machine itself answers is ever chosen here: tests contact nothing outside.
  await page.getByPlaceholder(/intranet/).fill('127.0.0.1');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('button', { name: /^Trace th/ }).click();

  const row = page.getByRole('row').nth(1);
  await expect(row).toContainText(/Healthy|Slow|\d of \d measured|Measuring|Something is off/, { timeout: 60_000 });
  await page.context().storageState({ path: 'test-results/admin.json' });
  expect(outside).toEqual([]);
});
