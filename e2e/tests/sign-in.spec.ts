import { expect, test } from '@playwright/test';
import { ADMIN, running } from '../stack/running.ts';

test.use({ storageState: { cookies: [], origins: [] } });

test('the claim link works once', async ({ page }) => {
  await page.goto(running().claimLink);
  await expect(page.getByText(/used|expired/i).first()).toBeVisible();
  await expect(page.getByLabel('E-mail')).toHaveCount(0);
});

test('without a session the console sends to the sign-in, which takes the password and returns', async ({ page }) => {
  const { url } = running();
  await page.goto(`${url}/identity`);
  await expect(page.getByRole('button', { name: /sign in/i })).toBeVisible();
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: /sign in/i }).click();
  await expect(page.getByText('E-mail address or password is wrong').first()).toBeVisible();
  await page.getByLabel('E-mail').fill(ADMIN.email);
  await page.getByLabel('Password').fill(ADMIN.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await expect(page.getByRole('heading', { name: 'People and tokens' })).toBeVisible();
});
