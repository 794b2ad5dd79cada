import { readFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();

test('the fleet names this machine, its verdict first, and keeps every state in the URL', async ({ page }) => {
  await page.goto(`${url}/`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/device|Nothing is slow/);
  const row = page.getByRole('row').nth(1);
  await expect(row).toContainText(/Healthy|Slow|\d of \d measured|Measuring|Something is off/);

  await page.getByRole('searchbox', { name: /device/i }).fill('no such device anywhere');
  await expect(page.getByText(/No device matches/)).toBeVisible();
  await expect(page).toHaveURL(/no\+such|no%20such/);
  await page.reload();
  await expect(page.getByText(/No device matches/)).toBeVisible();
  await page.getByRole('searchbox', { name: /device/i }).fill('');
  await expect(page).not.toHaveURL(/no\+such|no%20such/);
  await expect(page.getByRole('row').nth(1)).toContainText(/Healthy|Slow|\d of \d measured|Measuring|Something is off/);
});

test('the CSV holds exactly what is filtered', async ({ page }) => {
  await page.goto(`${url}/`);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /CSV/ }).click()]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trim()
    .split(/\r?\n/);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('verdict');
});

test('a device page explains the verdict and says what is not shown, and why', async ({ page }) => {
  await page.goto(`${url}/`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  for (const title of ['Round trip', 'Path', 'Sessions', 'Not shown, and why']) {
    await expect(page.getByRole('heading', { name: new RegExp(`^${title}`) })).toBeVisible();
  }
  // This machine has no radio: the page says so instead of drawing an empty chart.
  await expect(page.getByText(/wired|no Wi-Fi|not measurable/i).first()).toBeVisible();
});

test('works by keyboard alone', async ({ page }) => {
  await page.goto(`${url}/`);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: /device/i })).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
});

test('a search is reported by Enter and when its field is left, not only after a rest', async ({ page }) => {
  await page.clock.install();
  await page.goto(`${url}/`);
  await expect(page.getByRole('row').nth(1)).toBeVisible();
  // Nothing that waits for a time happens from here on.
  await page.clock.pauseAt(new Date(Date.now() + 60_000));
  const search = page.getByRole('searchbox', { name: /device/i });
  await search.fill('entered');
  await expect(page).not.toHaveURL(/entered/);
  await search.press('Enter');
  await expect(page).toHaveURL(/entered/);
  await search.fill('left');
  await expect(page).not.toHaveURL(/left/);
  await search.blur();
  await expect(page).toHaveURL(/left/);
});
