import { expect, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();

// After all other tests of the console: minutes are computed once they are over, and what otlp.spec.ts sent is some minutes old by now.
test('the service map draws the program of otlp.spec.ts and the database that it calls', async ({ page }) => {
  test.setTimeout(240_000);
  await expect(async () => {
    await page.goto(`${url}/topology`);
    await expect(page.getByRole('button', { name: /^till,/ })).toBeVisible({ timeout: 3000 });
  }).toPass({ timeout: 200_000, intervals: [5000] });
  await expect(page.getByRole('button', { name: /sales-db:5432, database/ })).toBeVisible();
});
