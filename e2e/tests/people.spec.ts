import { request as apiRequest, expect, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();

test('an API token is shown once, works over REST, and stops working when revoked', async ({ page }) => {
  await page.goto(`${url}/identity?tab=tokens`);
  await page.getByRole('button', { name: 'Create token' }).first().click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('e2e reader');
  await form.getByRole('checkbox', { name: /Viewer/ }).check();
  await form.getByRole('button', { name: 'Create token' }).click();
  const secret = page.getByText(/svc_pat_[A-Za-z0-9_-]{20,}/).first();
  await expect(secret).toBeVisible();
  const token = /svc_pat_[A-Za-z0-9_-]+/.exec((await secret.textContent()) ?? '')?.[0] ?? '';
  const api = await apiRequest.newContext({ ignoreHTTPSErrors: true, extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  const before = await api.get(`${url}/v1/endpoints`);
  expect(before.status()).toBe(200);
  expect((await before.json()).collector_running).toBe(true);

  await page.goto(`${url}/identity?tab=tokens`);
  await page
    .getByRole('row', { name: /e2e reader/ })
    .getByRole('button', { name: 'Revoke' })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /Revoke/ }).click();
  await expect(dialog).toBeHidden();
  expect((await api.get(`${url}/v1/endpoints`)).status()).toBe(401);
  await api.dispose();
});

test('somebody invited by link joins with the roles chosen, and sees no more than those allow', async ({ page, browser }) => {
  await page.goto(`${url}/identity`);
  await page.getByRole('button', { name: /Invite/ }).click();
  await page.getByRole('checkbox', { name: /Viewer/ }).check();
  await page
    .getByRole('button', { name: /link|Invite/i })
    .last()
    .click();
  const link = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
  expect(link).toContain(url);

  const context = await browser.newContext({ ignoreHTTPSErrors: true, storageState: { cookies: [], origins: [] } });
  const guest = await context.newPage();
  await guest.goto(link);
  await guest.getByLabel('E-mail').fill('viewer@example.test');
  await guest.getByLabel('Password', { exact: true }).fill('another long password');
  await guest.getByLabel('Password once more').fill('another long password');
  await guest.getByRole('button', { name: /sign in/i }).click();
  await expect(guest.getByRole('row').nth(1)).toContainText(/Healthy|Slow|\d of \d measured|Measuring|Something is off/);
  const refused = await guest.request.get(`${url}/v1/audit`);
  expect([refused.status(), (await refused.json()).code]).toEqual([403, 'forbidden']);
  await context.close();
});

test('the audit trail tells of it and is whole', async ({ page }) => {
  await page.goto(`${url}/audit`);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await page.getByRole('button', { name: /Verify/ }).click();
  await expect(page.getByText(/whole|unbroken|intact/i).first()).toBeVisible();
});
