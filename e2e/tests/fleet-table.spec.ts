import { readFileSync } from 'node:fs';
import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import { running } from '../stack/running.ts';
import { simulateFleet } from '../stack/simulated-fleet.ts';

const product = running();
const { url } = product;
const DEVICES = 60;
const PERSON = { email: 'tom@example.test', password: 'a long enough password' };
let context: BrowserContext;
let page: Page;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000);
  const { claimLink } = await simulateFleet(product, `tables-${Date.now().toString(36)}`, DEVICES);
  context = await browser.newContext({
    ...{ ignoreHTTPSErrors: true, storageState: { cookies: [], origins: [] }, viewport: { width: 1440, height: 900 } },
  });
  page = await context.newPage();
  await page.goto(claimLink);
  await page.getByLabel('E-mail').fill(PERSON.email);
  await page.getByLabel('Password', { exact: true }).fill(PERSON.password);
  await page.getByLabel('Password once more').fill(PERSON.password);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(page.getByRole('row').nth(1)).toContainText(/Healthy|Slow|\d of \d measured|Measuring|Something is off/, {
    timeout: 30_000,
  });
});
test.afterAll(async () => await context?.close());
test.beforeEach(async () => {
  await page.goto(`${url}/fleet`);
  await expect(page.getByRole('row').nth(20)).toBeVisible();
});

const table = () => page.getByRole('table', { name: 'Devices' });
const scrolled = () => table().evaluate((element) => element.parentElement?.scrollTop ?? -1);
const scrollTo = (top: number) =>
  table().evaluate((element, to) => {
    if (element.parentElement) element.parentElement.scrollTop = to;
  }, top);

test('at 1440 px every column is on screen, since when and the last contact among them', async () => {
  const right = await table().evaluate((element) => element.parentElement?.getBoundingClientRect().right ?? 0);
  expect(right).toBeLessThanOrEqual(1440);
  for (const name of ['Since', 'Agent', 'Contact']) {
    const box = await table().getByRole('columnheader', { name, exact: true }).boundingBox();
    expect(box && box.x + box.width, name).toBeLessThanOrEqual(right + 1);
  }
  const since = await table().getByRole('columnheader').allTextContents();
  const slow = page.getByRole('row').filter({ hasText: 'Slow' }).first().getByRole('cell');
  await expect(slow.nth(since.findIndex((title) => title.startsWith('Since')))).toContainText(/\d/);
});

test('another search, sort or filter starts at the first row, new values leave the reader where they are', async () => {
  await scrollTo(400);
  expect(await scrolled()).toBe(400);
  const polled = page.waitForResponse((response) => response.url().includes('/trpc/endpoint.list'), { timeout: 40_000 });
  await polled;
  await page.waitForTimeout(300);
  expect(await scrolled()).toBe(400);
  await page.getByRole('searchbox', { name: 'Search devices' }).fill('lis');
  await expect(page).toHaveURL(/search=lis/);
  await expect.poll(scrolled).toBe(0);
  await page.getByRole('searchbox', { name: 'Search devices' }).fill('');
  await expect(page).not.toHaveURL(/search=/);
  await scrollTo(400);
  await table().getByRole('button', { name: 'OS', exact: true }).click();
  await expect.poll(scrolled).toBe(0);
});

test('a figure is filtered by: the field has the focus with its value chosen, Enter applies', async () => {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await page.getByRole('button', { name: 'Gateway round trip' }).click();
  const field = page.getByLabel('Gateway round trip');
  await expect(field).toBeFocused();
  await page.keyboard.type('7');
  await expect(field).toHaveValue('7');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/gateway_rtt_above=7(&|$)/);
  await expect(field).toHaveCount(0);
  const chip = page.getByRole('button', { name: /^Gateway 7 ms or more/ });
  await chip.click();
  await expect(field).toBeFocused();
  await page.keyboard.type('9');
  await expect(field).toHaveValue('9');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/gateway_rtt_above=9(&|$)/);
});

test('floors are counted as floors, and the four sites of the firm once', async () => {
  await expect(page.getByTitle('4 sites, 5 floors')).toHaveText(/4 sites$/);
});

test('its CSV opens in Excel with its letters whole', async () => {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: /CSV/ }).click()]);
  expect([...readFileSync(await download.path()).subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
});
