import { type BrowserContext, expect, type Page, test } from '@playwright/test';
import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { running } from '../stack/running.ts';
import { simulateFleet } from '../stack/simulated-fleet.ts';

const product = running();
const { url } = product;
/** The server runs in UTC (stack/product.ts); neither of these has whole hours between itself and it. */
const ZONES = ['Asia/Kolkata', 'America/St_Johns'] as const;
const CAUSES = ['wifi', 'isp', 'local', 'network'] as const;
/** Enough that each cause is somewhere among them. */
const DEVICES = 80;
const PERSON = { email: 'zoe@example.test', password: 'a long enough password' };
type State = Awaited<ReturnType<BrowserContext['storageState']>>;
let state: State;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(180_000);
  const { claimLink } = await simulateFleet(product, 'zones', DEVICES);
  const context = await browser.newContext({ ignoreHTTPSErrors: true, storageState: { cookies: [], origins: [] } });
  const page = await context.newPage();
  await page.goto(claimLink);
  await page.getByLabel('E-mail').fill(PERSON.email);
  await page.getByLabel('Password', { exact: true }).fill(PERSON.password);
  await page.getByLabel('Password once more').fill(PERSON.password);
  await page.getByRole('button', { name: 'Set password and sign in' }).click();
  await expect(page.getByRole('row').nth(1)).toContainText(/Healthy|Slow|\d of \d measured|Measuring|Something is off/, {
    timeout: 30_000,
  });
  state = await context.storageState();
  await context.close();
});

const clockIn = (timeZone: string, at: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(at));

/** Each time on the page is the time of its own instant on the viewer's clock, with UTC on hover. */
async function expectOwnClock(page: Page, zone: string): Promise<void> {
  const times = await page.locator('time').evaluateAll((found) =>
    found.map((one) => ({
      at: one.getAttribute('datetime') ?? '',
      text: one.textContent ?? '',
      title: one.getAttribute('title') ?? '',
    })),
  );
  const clocks = times.filter(({ text }) => /\d\d:\d\d/.test(text));
  expect(clocks.length).toBeGreaterThan(0);
  for (const { at, text, title } of clocks) {
    expect(text).toContain(clockIn(zone, at));
    expect(title).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  }
  // Said once, and the server's own zone nowhere in words.
  await expect(page.getByText(/^Times: /).filter({ visible: true })).toHaveText(new RegExp(`^Times: ${zone} \\(UTC.\\d`));
  expect(await page.locator('main').textContent()).not.toMatch(/\d\d:\d\d UTC/);
}

/** Opens the first device that is slow for a cause; its row as the API gives it. */
async function openSlow(page: Page, cause: string): Promise<EndpointRow> {
  await page.goto(`${url}/fleet?verdict=${cause}`);
  const link = page.getByRole('row').nth(1).getByRole('link').first();
  const id = /\/fleet\/([0-9a-f-]{36})/.exec((await link.getAttribute('href')) ?? '')?.[1] ?? '';
  await link.click();
  await expect(page.getByRole('list', { name: /^Layers/ })).toBeVisible();
  const answer = await page.request.get(`${url}/v1/endpoints/${id}`);
  expect(answer.status()).toBe(200);
  return ((await answer.json()) as { endpoint: EndpointRow }).endpoint;
}

for (const zone of ZONES) {
  test(`sentences, layers and tables are on the clock of a viewer in ${zone}, and say one thing`, async ({ browser }) => {
    const context = await browser.newContext({ storageState: state, timezoneId: zone, ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`${url}/fleet`);
    await expect(page.getByRole('row').nth(1)).toContainText(/Slow/);
    await expectOwnClock(page, zone);
    for (const cause of CAUSES) {
      const row = await openSlow(page, cause);
      const since = row.verdict_since ?? '';
      const headline = page.getByRole('heading', { level: 1 });
      await expect(headline.locator('time')).toHaveAttribute('datetime', since);
      await expect(headline).toContainText(clockIn(zone, since));
      const slowHere = page.getByRole('listitem').filter({ hasText: 'Slow here' });
      await expect(slowHere).toContainText(`${clockIn(zone, since)}`);
      await expectOwnClock(page, zone);
      // The API's own words are of no viewer: they are UTC and say so.
      expect(row.summary).toContain(`since ${since.slice(0, 16).replace('T', ' ')} UTC`);

      // The figure of the sentence is that of the layer and of the path.
      const figure =
        /\d+(?:\.\d+)?[\s\u202f]?(?:ms|s|dBm|%)(?=[ )])/.exec((await headline.textContent()) ?? '')?.[0] ?? 'no figure';
      await expect(slowHere).toContainText(figure);
      await expect(page.getByRole('img', { name: /^Path over/ })).toContainText(figure);
      expect(await page.getByText(/^not judged: behind/).count()).toBe({ wifi: 3, local: 2, isp: 1, network: 0 }[cause]);
    }
    await context.close();
  });
}

test('what a floor shares is told to whoever runs it, not to each device', async ({ browser }) => {
  const context = await browser.newContext({ storageState: state, timezoneId: ZONES[0], ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await openSlow(page, 'wifi');
  await expect(page.getByText(/^\d+ of \d+ devices at Lisbon, floor 3 .* Check the access points there/)).toBeVisible();
  await expect(page.getByText('Move closer')).toHaveCount(0);
  await context.close();
});
