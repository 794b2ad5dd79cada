import { expect, type Page, test } from '@playwright/test';
import { type BreakableSite, startBreakableSite } from '../stack/breakable-site.ts';
import { running } from '../stack/running.ts';
import { FIRST_RUN_MS, removeTests } from '../stack/watch.ts';

const { url } = running();
const NAME = 'Shop on loopback';
/** Failing runs in a row, one a second, before the test counts as failing; as many good ones end it. */
const IN_A_ROW = '2';
/** What happens in one browser is seen in another without a reload. */
const LIVE_MS = 10_000;

interface Found {
  id: string;
  status: string;
  open_signal_count: number;
  signal_count: number;
}

/** Every incident there has been about the site, as a program reads them. */
async function incidentsAbout(page: Page, site: BreakableSite): Promise<Found[]> {
  const answer = await page.request.get(`${url}/v1/incidents`);
  expect(answer.status()).toBe(200);
  const { items } = (await answer.json()) as { items: (Found & { target: string | null })[] };
  return items.filter(({ target }) => target?.includes(new URL(site.url).host));
}

const row = (page: Page) => page.getByRole('region', { name: 'Incidents', exact: true }).getByRole('row', { name: NAME });

/** Types the target, tries it, and only then makes the test. */
async function makeTest(page: Page, site: BreakableSite): Promise<void> {
  await page.goto(`${url}/tests?drawer=new`);
  const drawer = page.getByRole('complementary', { name: 'New test' });
  await drawer.getByRole('textbox', { name: 'Target' }).fill(site.url);
  await drawer.getByRole('textbox', { name: 'Name', exact: true }).fill(NAME);
  await drawer.getByRole('textbox', { name: 'Every' }).fill('1 s');
  await drawer.getByText('When it counts as failing, labels').click();
  await drawer.getByRole('textbox', { name: 'Failing runs in a row' }).fill(IN_A_ROW);
  await drawer.getByRole('button', { name: 'Try it' }).click();
  await expect(drawer.getByRole('region', { name: 'Dry run' })).toContainText('would pass: total');
  const before = await page.request.get(`${url}/v1/tests`);
  expect(await before.text(), 'a dry run saves nothing').not.toContain(NAME);
  await drawer.getByRole('button', { name: 'Create test' }).click();
  await expect(drawer).toBeHidden();
}

test('a test that fails opens one incident, which another browser sees taken over, recover and resolve', async ({
  page,
  context,
  browser,
}) => {
  const site = await startBreakableSite();
  const other = await browser.newContext({ ignoreHTTPSErrors: true, storageState: await context.storageState() });
  const elsewhere = await other.newPage();
  try {
    await makeTest(page, site);
    await page.goto(`${url}/tests?search=${encodeURIComponent(NAME)}`);
    await expect(page.getByRole('row', { name: NAME })).toContainText('Passing', { timeout: FIRST_RUN_MS });
    await elsewhere.goto(`${url}/incidents`);
    await expect(elsewhere.getByRole('heading', { level: 1 })).toContainText(/open/);
    await expect(row(elsewhere)).toHaveCount(0);

    site.break();
    await expect(row(elsewhere)).toContainText('Open');
    await elsewhere.getByRole('link', { name: new RegExp(NAME) }).click();
    await page.goto(elsewhere.url());
    await expect(page.getByRole('heading', { level: 1 })).toContainText(NAME);

    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await expect(elsewhere.getByText(/^Acknowledged by /)).toBeVisible({ timeout: LIVE_MS });
    // It goes on failing: more of the same is no other incident.
    await expect(page.getByText(/It resolves automatically .* after its failing signal/)).toBeVisible();
    expect(await incidentsAbout(page, site)).toMatchObject([{ status: 'acknowledged', open_signal_count: 1 }]);

    site.repair();
    await expect(elsewhere.getByText(/Everything has recovered/)).toBeVisible();
    // By itself it resolves after minutes at least; whoever knows that it is over says so at once.
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/What was it/)
      .fill('The database was gone.');
    await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click();
    await expect(elsewhere.getByRole('button', { name: 'Reopen' })).toBeVisible({ timeout: LIVE_MS });
    await expect(elsewhere.getByText('The database was gone.', { exact: true })).toBeVisible();
    expect(await incidentsAbout(page, site)).toMatchObject([{ status: 'resolved', open_signal_count: 0, signal_count: 1 }]);
    await page.goto(`${url}/tests?search=${encodeURIComponent(NAME)}`);
    await expect(page.getByRole('row', { name: NAME })).toContainText('Passing', { timeout: FIRST_RUN_MS });
  } finally {
    await removeTests(page, [NAME]);
    await other.close();
    await site.stop();
  }
});
