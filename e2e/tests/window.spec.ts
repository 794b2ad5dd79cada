import { expect, type Page, test } from '@playwright/test';
import { running } from '../stack/running.ts';
import { pathAt, resultAt, retireDevice, sendPast, sessionAt, verdictAt } from '../stack/send-past.ts';

const { url } = running();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const BEGAN = Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE;
const ago = (hours: number, minutes = 0): number => BEGAN - hours * HOUR - minutes * MINUTE;
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** What a device measured at four times: now, six hours ago, the hour before that, and a day before that. */
const PAST = [
  ...Array.from({ length: 6 }, (_, day) => sessionAt(ago(6) - (day + 1) * DAY - 2 * HOUR, 100 + day)),
  ...[verdictAt(ago(30, 10), 'none', 'Healthy a day before.'), pathAt(ago(30, 12), [2, 9, 20]), sessionAt(ago(30, 20), 150)],
  ...[verdictAt(ago(7, 10), 'none', 'Healthy the hour before.'), pathAt(ago(7, 12), [2, 10, 21]), sessionAt(ago(7, 20), 200)],
  ...[
    verdictAt(ago(6, 9), 'isp', 'Slow at the ISP six hours ago.'),
    verdictAt(ago(6, 5), 'isp', 'Slow at the ISP six hours ago.'),
  ],
  ...[pathAt(ago(6, 10), [2, 133, 150, 160]), resultAt(ago(6, 6), { metrics: { 'rtt.avg.ms': 44 } })],
  ...[
    sessionAt(ago(6, 40), 300),
    sessionAt(ago(6, 30), 500),
    ...[35, 20, 8].map((minute) => sessionAt(ago(6, minute), 34, 'tls')),
  ],
  ...[verdictAt(ago(0, 2), 'wifi', 'Slow because of Wi-Fi now.'), pathAt(ago(0, 3), [30, 42, 60])],
  ...[sessionAt(ago(0, 4), 6400), resultAt(ago(0, 1), { metrics: { 'rtt.avg.ms': 30 } })],
];

let id: string;
test.beforeEach(async ({ page }) => {
  id = await sendPast(page, url, PAST);
});
test.afterEach(async ({ page }) => {
  await retireDevice(page, id);
});

const open = (page: Page, [from, to]: readonly [number, number], more = '') =>
  page.goto(`${url}/fleet/${id}?from=${instant(from)}&to=${instant(to)}${more}`);
const card = (page: Page, name: string | RegExp) => page.getByRole('region', { name, exact: true }).first();
const sentence = (page: Page) => page.getByRole('heading', { level: 1 });
const hops = (page: Page) => card(page, /^Hops to/).locator('tbody tr');

test('everything on a device page is of the chosen time, and an empty time says so', async ({ page }) => {
  await page.goto(`${url}/fleet/${id}`);
  await expect(sentence(page)).toContainText('Slow because of Wi-Fi');
  await expect(hops(page)).toHaveCount(3);
  await expect(card(page, 'Sessions').locator('tbody')).toContainText('6.4');
  await expect(page.getByText(/^As of/)).toHaveCount(0);

  await open(page, [ago(7), ago(6)]);
  await expect(sentence(page)).toContainText('Slow because of the ISP');
  await expect(page.getByText(/As of .*, the last verdict between/)).toBeVisible();
  await expect(page.getByRole('list', { name: /^Layers/ })).toContainText('slow since');
  await expect(hops(page)).toHaveCount(4);
  await expect(hops(page).nth(1)).toContainText('133');
  const sessions = card(page, 'Sessions');
  await expect(sessions.locator('tbody')).toContainText('3 of 5 failed at TLS');
  await expect(sessions.locator('tbody tr').first()).toContainText(/400.*500.*10\d/);
  await expect(sessions).toContainText('in the 7 days before this time');

  await open(page, [ago(4), ago(3)]);
  await expect(sentence(page)).toContainText('Nothing was judged in this time.');
  await expect(page.getByText('No session was measured in this time.')).toBeVisible();
  await expect(page.getByText(/No trace of this device arrived in the chosen time/)).toBeVisible();
  await expect(page.getByRole('list', { name: /^Layers/ })).toContainText('not measured in this time');

  await page.getByRole('button', { name: 'Show now' }).click();
  await expect(sentence(page)).toContainText('Slow because of Wi-Fi');
  await expect(hops(page)).toHaveCount(3);
});

test('stands beside the hour before and the same time yesterday, and Back undoes it', async ({ page }) => {
  await open(page, [ago(7), ago(6)]);
  await expect(sentence(page)).toContainText('Slow because of the ISP');
  const compared = card(page, 'Compare with');
  await compared.getByRole('button', { name: 'The hour before' }).click();
  await expect(page).toHaveURL(/compare=hour/);
  await expect(compared.getByRole('row', { name: /^ISP edge/ })).toContainText(/22.*91.*−69/);
  await expect(compared.getByRole('row', { name: /^2, 10\.20\.1\.1/ })).toContainText(/133.*10.*\+123/);
  await expect(compared.getByRole('row', { name: /^4, / })).toContainText('no such hop');
  await expect(compared.getByRole('row', { name: /^crm/ })).toContainText(/400.*3 of 5 failed at TLS.*200.*\+200/);

  await compared.getByRole('button', { name: 'The same time yesterday' }).click();
  await expect(page).toHaveURL(/compare=yesterday/);
  await expect(compared.getByRole('row', { name: /^crm/ })).toContainText(/400.*150.*\+250/);
  await page.goBack();
  await expect(page).toHaveURL(/compare=hour/);
  await expect(compared.getByRole('button', { name: 'The hour before' })).toHaveAttribute('aria-pressed', 'true');
  await page.goBack();
  await expect(page).not.toHaveURL(/compare/);
  await expect(compared.getByRole('table')).toHaveCount(0);
});
