import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';
import { running } from '../stack/running.ts';

const { url } = running();
const PAGES = ['/', '/people', '/audit', '/settings', '/first-run'];

for (const scheme of ['light', 'dark'] as const) {
  test(`axe finds nothing serious on any page (${scheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(`${url}/`);
    const device = await page.getByRole('row').nth(1).getByRole('link').first().getAttribute('href');
    for (const path of [...PAGES, device ?? '/']) {
      await page.goto(new URL(path, url).href);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(serious.map(({ id, nodes }) => `${path} ${id}: ${nodes[0]?.html}`)).toEqual([]);
    }
  });
}

test('the pages of the sign-in are accessible without a session', async ({ browser }) => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(`${url}/auth/login?return_to=/`);
  await expect(page.getByLabel('Password')).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await context.close();
});
