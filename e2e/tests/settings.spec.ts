import { expect, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();

test('a policy is saved once, by click and by Enter, and tells its new version', async ({ page }) => {
  await page.goto(`${url}/settings`);
  const limit = page.getByLabel('Slow session from');
  const version = page.getByText(/^Version \d+/);
  await expect(version).toBeVisible();
  let saves = 0;
  page.on('request', (request) => {
    if (request.url().includes('fleet.policy.set')) saves += 1;
  });
  const before = Number(/\d+/.exec((await version.textContent()) ?? '')?.[0]);
  const usual = await limit.inputValue();
  await limit.fill('1750');
  await page.getByRole('button', { name: 'Save and send to devices' }).click();
  await expect(version).toHaveText(new RegExp(`^Version ${before + 1}\\b`));
  await limit.fill(usual);
  await limit.press('Enter');
  await expect(version).toHaveText(new RegExp(`^Version ${before + 2}\\b`));
  expect(saves).toBe(2);
  await expect(page.getByText('Somebody else changed it')).toBeHidden();
});
