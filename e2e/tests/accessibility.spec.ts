import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { findPlaces } from '../crawl/routes.ts';
import { running } from '../stack/running.ts';
import { sendTelemetry } from '../stack/send-telemetry.ts';

const { url } = running();
const SERVICE = 'shelves';
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
/** Beside those of the tags: landmarks that are told apart by their names, and names that begin with what is seen. */
const MORE_RULES = { 'landmark-unique': { enabled: true }, 'label-content-name-mismatch': { enabled: true } };

// Twenty pages and more, each looked at whole.
test.setTimeout(240_000);

/** Opens every page of the console's own list in each of its views, those of a device and of a trace as well, and calls back on each. */
async function onEveryPage(page: Page, look: (path: string) => Promise<void>): Promise<void> {
  await sendTelemetry(page, { url, service: SERVICE });
  const places = await findPlaces(page, url);
  for (const path of places.flatMap((place) => [place.path, ...place.views.map((view) => `${place.path}${view}`)])) {
    await page.goto(new URL(path, url).href);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await look(path);
  }
}

async function findSerious(page: Page, path: string): Promise<string[]> {
  // The usual mode opens a second page for every look; it is for frames, and there are none.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .withTags(TAGS)
    .options({ rules: MORE_RULES, runOnly: { type: 'tag', values: TAGS } })
    .analyze();
  const serious = violations.filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || id in MORE_RULES);
  return serious.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${path} ${id}: ${html}`));
}

for (const scheme of ['light', 'dark'] as const) {
  test(`axe finds nothing serious on any page (${scheme})`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await onEveryPage(page, async (path) => expect(await findSerious(page, path)).toEqual([]));
  });
}

test('on a phone nothing is cut off, and axe finds nothing serious', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await onEveryPage(page, async (path) => {
    expect(await findSerious(page, path)).toEqual([]);
    for (const part of ['main', 'banner'] as const) {
      const hidden = await page
        .getByRole(part)
        .first()
        .evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(hidden, `${path}: pixels of the ${part} beyond the edge`).toBeLessThanOrEqual(0);
    }
  });
});

test('the pages of the sign-in are accessible without a session', async ({ browser }) => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(`${url}/auth/login?return_to=/`);
  await expect(page.getByLabel('Password')).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await context.close();
});
