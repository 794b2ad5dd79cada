import { expect } from '@playwright/test';
import { test } from '../stack/demo.ts';

test('the policy names every target that a simulated device shows', async ({ demo, browser }) => {
  const page = await browser.newPage({ ignoreHTTPSErrors: true, storageState: demo.people.admin });
  await page.goto(`${demo.url}/settings`);
  await expect(page.getByLabel('Hosts to trace (at most 8)')).toHaveValue('edge.fennmark.example');
  const addresses = page.getByLabel('Addresses to connect to (at most 32)');
  await expect(addresses).toHaveValue(/^https:/);
  const named = (await addresses.inputValue()).split('\n').map((address) => new URL(address).hostname);
  await page.goto(`${demo.url}/fleet`);
  await page.getByRole('row').nth(1).getByRole('link').first().click();
  const shown = page.getByRole('region', { name: 'Sessions' }).locator('td[title$=".example"]');
  await expect(shown).toHaveCount(3);
  for (const cell of await shown.all()) expect(named).toContain(await cell.getAttribute('title'));
  await page.context().close();
});
