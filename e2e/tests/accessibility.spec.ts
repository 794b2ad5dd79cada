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

const DESK = { width: 1440, height: 1200 };
const PHONE = { width: 390, height: 844 };

/** Pixels of a part of the page beyond the edge, for each part that has some. */
async function findCutOff(page: Page, path: string): Promise<string[]> {
  const found: string[] = [];
  for (const part of ['main', 'banner'] as const) {
    const hidden = await page
      .getByRole(part)
      .first()
      .evaluate((element) => element.scrollWidth - element.clientWidth);
    if (hidden > 0) found.push(`${path}: ${hidden} px of the ${part} are beyond the edge`);
  }
  return found;
}

test('axe finds nothing serious on any page, light, dark and on a phone, where nothing is cut off', async ({ page }) => {
  const drawn = expect(page.locator('html'));
  const faults: string[] = [];
  await onEveryPage(page, async (path) => {
    faults.push(...(await findSerious(page, path)));
    await page.emulateMedia({ colorScheme: 'dark' });
    await drawn.toHaveAttribute('data-theme', 'dark');
    faults.push(...(await findSerious(page, `${path} dark`)));
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    await drawn.toHaveAttribute('data-theme', 'light');
    faults.push(...(await findSerious(page, `${path} on a phone`)), ...(await findCutOff(page, path)));
    await page.setViewportSize(DESK);
  });
  expect(faults).toEqual([]);
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
